// SPDX-License-Identifier: Apache-2.0
// The target without libFuzzer: `fuzz COUNT SEED FOLDER` takes each file of a folder as it is, then COUNT
// mutations. All follows from the seed (splitmix64). The input under way is kept in FOLDER/../last.
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

std::uint64_t state;

std::uint64_t below(std::uint64_t n) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (z ^ (z >> 31)) % n;
}

// In place of a number or a word of JSON.
const char* const kValues[] = {"-1",   "0",    "1",    "1e308", "-0.5", "9223372036854775807",
                               "null", "true", "[]",   "{}",    "\"\"", "18446744073709551616",
                               "1e-9", "[[]]", "65536"};

void another_value(std::string& input) {
  const std::size_t from = input.find_first_of(":[,", 1 + below(input.size()));
  if (from == std::string::npos) return;
  const std::size_t to = std::min(input.find_first_of(",]}", from + 1), input.size());
  input.replace(from + 1, to - from - 1, kValues[below(std::size(kValues))]);
}

void mutate(std::string& input, const std::vector<std::string>& corpus) {
  const std::size_t at = 1 + below(input.size());
  const std::size_t piece =
      std::min<std::size_t>(1 + below(12), input.size() - std::min(at, input.size()));
  switch (below(6)) {
    case 0:
      if (at < input.size()) input[at] = static_cast<char>(below(256));
      return;
    case 1:
      if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
      return;
    case 2:
      input.insert(std::min(at, input.size()), 1 + below(9), static_cast<char>(below(256)));
      return;
    case 3:
      if (piece > 0) input.erase(at, piece);
      return;
    case 4: {
      const std::string& other = corpus[below(corpus.size())];
      const std::size_t from = below(other.size());
      input.insert(std::min(at, input.size()), other, from, 1 + below(64));
      return;
    }
    default:
      another_value(input);
  }
}

void take(const std::string& input, const std::filesystem::path& last) {
  std::ofstream(last, std::ios::binary) << input;
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::filesystem::path folder = argv[3], last = folder.parent_path() / "last";
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry);
  std::sort(files.begin(), files.end());
  std::vector<std::string> corpus;
  for (const auto& file : files) {
    std::ifstream opened(file, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(opened), std::istreambuf_iterator<char>());
    take(corpus.back(), last);
  }
  state = std::stoull(argv[2]);
  for (std::uint64_t left = std::stoull(argv[1]); left > 0; --left) {
    std::string input = corpus[below(corpus.size())];
    for (std::uint64_t n = 1 + below(4); n > 0; --n) mutate(input, corpus);
    take(input, last);
  }
  std::puts("done");
}
