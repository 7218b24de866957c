// accept4() that can be told to fail as it does when a process has no descriptors left. Taking them
// away for real also takes them from UBSan, which opens a pipe to look at an object's type.
#pragma once

namespace spinup::test {

/// While one lives, accept4() fails with EMFILE in this process.
class failing_accept {
  public:
    failing_accept();
    ~failing_accept();
    failing_accept(const failing_accept&) = delete;
    failing_accept& operator=(const failing_accept&) = delete;
};

} // namespace spinup::test
