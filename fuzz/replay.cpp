// main() of a fuzz target without libFuzzer: runs the files and folders it is given.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

void add_files(const fs::path& from, std::vector<fs::path>& to) {
    if (!fs::is_directory(from)) {
        to.push_back(from);
        return;
    }
    for (const auto& entry : fs::recursive_directory_iterator(from))
        if (entry.is_regular_file())
            to.push_back(entry.path());
}

} // namespace

int main(int argc, char** argv) {
    std::vector<fs::path> files;
    for (int i = 1; i < argc; ++i)
        add_files(argv[i], files);
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
        std::ifstream in{file, std::ios::binary};
        if (!in) {
            std::fprintf(stderr, "%s: cannot be read\n", file.c_str());
            return 1;
        }
        const std::string text{std::istreambuf_iterator<char>{in}, {}};
        // Said before, so that it is known which one crashed.
        std::printf("%s\n", file.c_str());
        std::fflush(stdout);
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    }
    std::printf("%zu inputs\n", files.size());
    return files.empty() ? 1 : 0; // a corpus that is not found must not pass
}
