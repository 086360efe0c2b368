// SPDX-License-Identifier: Apache-2.0
// .npy files as NumPy writes them are read; what we cannot mean is refused by name.
#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/inputs/npy.hpp"
#include "gridsmith/tests/catch.hpp"

namespace npy_test {

using namespace gridsmith;

namespace {

std::string file_of(const std::string& dictionary, int version = 1) {
  std::string text = "\x93NUMPY";
  text += static_cast<char>(version);
  text += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    text += static_cast<char>(dictionary.size() >> (8 * i));
  return text + dictionary;
}

std::string refusal(const std::string& start) {
  try {
    read_npy_head(start);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string dictionary(const std::string& type, const std::string& order,
                       const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }  \n";
}

} // namespace

TEST_CASE("heads of all versions and forms are read") {
  for (const int version : {1, 2, 3}) {
    const std::string file = file_of(dictionary("<f4", "False", "(3, 4)"), version);
    const NpyHead head = read_npy_head(file + "elements");
    CHECK(head.type == ElementType::float32);
    CHECK(head.shape == std::vector<std::uint64_t>{3, 4});
    CHECK(head.elements == 12);
    CHECK(head.bytes == file.size());
  }
  CHECK(read_npy_head(file_of(dictionary("|b1", "False", "()"))).elements == 1);
  CHECK(read_npy_head(file_of(dictionary("<i8", "True", "(5,)"))).elements == 5);
  CHECK(read_npy_head(file_of(dictionary("<u2", "False", "(5, 0)"))).elements == 0);
  const NpyHead turned =
      read_npy_head(file_of(R"({"shape":(2,3,),"descr":"|i1","fortran_order":False})"));
  CHECK(turned.type == ElementType::int8);
  CHECK(turned.elements == 6);
}

TEST_CASE("what is no array of ours is refused by name") {
  const std::string good = dictionary("<f4", "False", "(3, 4)");
  CHECK_THAT(refusal(""), contains_text("does not begin as one"));
  CHECK_THAT(refusal("\x93NUMPY"), contains_text("does not begin as one"));
  CHECK_THAT(refusal(file_of(good, 4)), contains_text("version 4"));
  CHECK_THAT(refusal(file_of(good).substr(0, 40)), contains_text("ends in its head"));
  CHECK_THAT(refusal(file_of(std::string(65536, ' '), 2)), contains_text("more than are read"));
  CHECK_THAT(refusal(file_of(dictionary(">f4", "False", "(3,)"))),
             contains_text("'>f4'; choose from <f2"));
  CHECK_THAT(refusal(file_of(dictionary("|O", "False", "(3,)"))), contains_text("the type '|O'"));
  CHECK_THAT(refusal(file_of(dictionary("<f4", "True", "(3, 4)"))), contains_text("fortran_order"));
  CHECK_THAT(refusal(file_of(dictionary("<f4", "Maybe", "(3, 4)"))),
             contains_text("neither True nor"));
  for (const char* shape : {"(3, 4", "3", "(-1,)", "(3 4)", "(,)", "(1.5,)"}) {
    INFO(shape);
    CHECK(refusal(file_of(dictionary("<f4", "False", shape))) != "");
  }
  CHECK_THAT(refusal(file_of(dictionary("<f4", "False", "(4294967296, 4294967296)"))),
             contains_text("too many elements"));
  CHECK_THAT(refusal(file_of(good + "x")), contains_text("not one dictionary"));
  CHECK_THAT(refusal(file_of("{'descr': '<f4', }")), contains_text("not one dictionary"));
  CHECK_THAT(refusal(file_of("{'descr': '<f4")), contains_text("does not end"));
  CHECK_THAT(refusal(file_of("{'kind': 1}")), contains_text("more than descr"));
}

} // namespace npy_test
