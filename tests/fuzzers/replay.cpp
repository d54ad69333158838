// Runs a fuzz target once for each file, for compilers without libFuzzer and for kept findings.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size);

int main(int count, char** files) {
    for (int i = 1; i < count; ++i) {
        std::FILE* file = std::fopen(files[i], "rb");
        if (file == nullptr) return 2;
        std::string content;
        char buffer[4096];
        for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) content.append(buffer, n);
        std::fclose(file);
        LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(content.data()), content.size());
    }
    std::printf("%d files\n", count - 1);
}
