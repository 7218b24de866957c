// How QEMU is started for a guest on a served HBA, for a user who does it by hand; `boot` has its
// own way, with what it needs to listen to the guest.
#pragma once

#include <string>
#include <vector>

namespace spinup::remote {

/// The QEMU that `prepare` has fetched, or else the one of the PATH, and its arguments: a guest
/// with the HBA that is served on `socket`, on this terminal. -kernel, -initrd and -append can be
/// added.
std::vector<std::string> qemu_command(const std::string& socket);

} // namespace spinup::remote
