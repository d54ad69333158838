// Bindings of what readers use: cutting delimited text, columns of text that Arrow consumers take without a copy, times, events.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "bind/bindings.hpp"
#include "text/arrow.hpp"
#include "text/delimited.hpp"
#include "text/events.hpp"
#include "text/same_texts.hpp"
#include "text/strings.hpp"
#include "text/times.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace shoal;

namespace {

template <class Struct>
nb::object capsule_of(Struct* value, const char* name) {
    PyObject* made = PyCapsule_New(value, name, [](PyObject* capsule) {
        auto* held = static_cast<Struct*>(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
        if (held->release) held->release(held);
        delete held;
    });
    if (!made) throw nb::python_error();
    return nb::steal(made);
}

nb::typed<nb::tuple, nb::object, nb::object> hand_over_column(TextColumn& column) {
    auto* schema = new ArrowSchema{};
    auto* array = new ArrowArray{};
    std::move(column).hand_over(schema, array);
    return nb::make_tuple(capsule_of(schema, "arrow_schema"), capsule_of(array, "arrow_array"));
}

ArrowArrayStream* stream_in(nb::handle capsule) {
    auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
    if (!stream) throw nb::python_error();
    return stream;
}

struct Times {
    std::vector<int64_t> microseconds;
    std::vector<uint8_t> shapes;
};

Times parse_times(const TextColumn& column, int threads, Task& task) {
    Times out{std::vector<int64_t>(column.size()), std::vector<uint8_t>(column.size())};
    task.begin(column.size());
    parallel_blocks(column.size(), 16384, threads, task, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i) {
            const Time time = parse_time(column[i]);
            out.microseconds[i] = time.microseconds;
            out.shapes[i] = static_cast<uint8_t>(time.shape);
        }
    });
    return out;
}

std::vector<int64_t> encode_column(Interner& interner, const TextColumn& column, Task& task) {
    std::vector<int64_t> codes(column.size());
    for (int64_t i = 0; i < column.size(); ++i) {
        if (i % 8192 == 0) task.check();
        // Rows of one person mostly follow one another.
        const bool again = i > 0 && column[i] == column[i - 1];
        codes[i] = again ? codes[i - 1] : column[i].empty() ? -1 : interner.code(column[i]);
    }
    return codes;
}

std::vector<TextColumn> text_columns(const Interner& interner, int64_t most_bytes) {
    std::vector<TextColumn> columns;
    int64_t begin = 0;
    for (int64_t i = 0, from = 0; i < interner.size(); from = interner.ends()[i++]) {
        if (columns.empty() || interner.ends()[i] - begin > most_bytes) {
            columns.emplace_back();
            begin = from;
        }
        columns.back().append(interner[i]);
    }
    return columns;
}

using FirstRecord = nb::typed<nb::tuple, int, nb::typed<nb::list, nb::str>, int64_t, int64_t>;

// The first records that are not blank, each with its defect, its fields, and the lines and bytes up to its end.
nb::typed<nb::list, FirstRecord> first_records(std::string_view text, const Dialect& dialect, bool last, int64_t limit) {
    nb::list out;
    Records records(text, dialect, last);
    while (static_cast<int64_t>(out.size()) < limit && records.next()) {
        if (records.blank()) continue;
        nb::list fields;
        if (records.defect() == Defect::none)
            for (std::string_view f : records.fields()) fields.append(nb::str(f.data(), f.size()));
        out.append(nb::make_tuple(static_cast<int>(records.defect()), fields, records.lines(), records.consumed()));
    }
    return out;
}

void bind_columns(nb::module_& m) {
    nb::class_<TextColumn>(m, "TextColumn", "Strings in Arrow's string-view layout; handing them on empties the column.")
        .def(
            "__init__",
            [](TextColumn* self, nb::object capsule) {
                ArrowArrayStream* stream = stream_in(capsule);
                new (self) TextColumn();
                const Strings strings(stream);
                self->reserve(strings.views().size());
                for (std::string_view s : strings.views()) self->append(s);
            },
            "stream"_a, "A copy of an Arrow stream's strings; a null becomes an empty one.")
        .def("__len__", &TextColumn::size)
        .def("lengths",
             [](const TextColumn& self) {
                 std::vector<int64_t> bytes(self.size());
                 for (int64_t i = 0; i < self.size(); ++i) bytes[i] = static_cast<int64_t>(self[i].size());
                 return hand_over(std::move(bytes));
             })
        .def(
            "places_like", [](const TextColumn& self, const std::string& name) { return hand_over(unlocked([&] { return self.places_like(name); })); },
            "name"_a, "Where a string may be this name, in any case, with quotes, blanks or a byte order mark around it.")
        .def(
            "take",
            [](const TextColumn& self, I64 places) {
                indices_within(span(places), self.size());
                return unlocked([&] { return self.take(span(places)); });
            },
            "places"_a)
        .def(
            "__arrow_c_array__", [](TextColumn& self, nb::object) { return hand_over_column(self); }, "requested_schema"_a = nb::none());
}

void bind_cutting(nb::module_& m) {
    nb::class_<Dialect>(m, "Dialect", "How fields are written in delimited text.")
        .def(
            "__init__",
            [](Dialect* self, const std::string& separator, bool quoted, bool trimmed) {
                need(separator.size() <= 1, "a separator of one byte, or of none for runs of blanks");
                new (self) Dialect{separator.empty() ? ' ' : separator[0], separator.empty(), quoted, trimmed};
            },
            "separator"_a, "quoted"_a, "trimmed"_a = true);
    nb::class_<ChunkFacts>(m, "ChunkFacts", "What a chunk of delimited text held.")
        .def_ro("lines", &ChunkFacts::lines)
        .def_ro("consumed", &ChunkFacts::consumed)
        .def_ro("blank", &ChunkFacts::blank)
        .def("row_lines", [](const ChunkFacts& f) { return hand_over(std::vector<int64_t>(f.row_lines)); })
        .def_ro("broken", &ChunkFacts::broken)
        .def_ro("defects", &ChunkFacts::defects);
    m.def(
        "first_records",
        [](nb::bytes text, const Dialect& dialect, bool last, int64_t limit) {
            return first_records({text.c_str(), text.size()}, dialect, last, limit);
        },
        "text"_a, "dialect"_a, "last"_a, "limit"_a);
    nb::class_<ColumnCutter> cutter(m, "ColumnCutter", "Cuts chunks of delimited text into columns, all in the same memory.");
    nb::class_<ColumnCutter::Part>(cutter, "Part", "Consecutive lines of a chunk. The next chunk overwrites its columns.")
        .def_ro("facts", &ColumnCutter::Part::facts)
        .def(
            "column", [](ColumnCutter::Part& self, std::size_t i) -> TextColumn& { return self.columns.at(i); }, "i"_a,
            nb::rv_policy::reference_internal);
    cutter
        .def(
            "__init__",
            [](ColumnCutter* self, const Dialect& dialect, const std::vector<int64_t>& wanted, int64_t fewest, int64_t most, int threads) {
                for (int64_t c : wanted) need(c >= 0 && c < most, "wanted fields to be among those that a record may have");
                new (self) ColumnCutter(dialect, wanted, fewest, most, threads);
            },
            "dialect"_a, "wanted"_a, "fewest"_a, "most"_a, "threads"_a)
        .def(
            "cut",
            [](ColumnCutter& self, nb::bytes text, bool last, Task& task) {
                const std::string_view view(text.c_str(), text.size());
                return unlocked([&] { return self.cut(view, last, task); });
            },
            "text"_a, "last"_a, "task"_a, "The number of parts that the chunk was cut in.")
        .def("part", &ColumnCutter::part, "i"_a, nb::rv_policy::reference_internal);
    m.def(
        "cut_items",
        [](nb::bytes text, const Dialect& dialect, Interner& interner, bool keep_blank, bool last, Task& task) {
            const std::string_view view(text.c_str(), text.size());
            ItemChunk chunk = unlocked([&] { return cut_items(view, dialect, interner, keep_blank, last, task); });
            return std::tuple(hand_over(std::move(chunk.indptr)), hand_over(std::move(chunk.items)), std::move(chunk.facts));
        },
        "text"_a, "dialect"_a, "interner"_a, "keep_blank"_a, "last"_a, "task"_a);
}

void bind_same_texts(nb::module_& m) {
    m.def(
        "joined_texts",
        [](nb::object words, I64 indptr, I32 ids, int64_t most_bytes, Task& task) {
            const Strings strings(stream_in(words));
            group_starts(span(indptr), ids.shape(0));
            for (int32_t id : span(ids)) need(id < static_cast<int64_t>(strings.views().size()), "words that have a name");
            JoinedTexts found = unlocked([&] { return joined_texts(strings.views(), span(indptr), span(ids), most_bytes, task); });
            return std::tuple(hand_over(std::move(found.numbers)), std::move(found.columns));
        },
        "words"_a, "indptr"_a, "ids"_a, "most_bytes"_a, "task"_a,
        "The number of each text of words, and the different texts in columns of so many bytes; words below 0 are none.");
    m.def(
        "texts_among",
        [](nb::object texts, nb::object others, Task& task) {
            const Strings sought(stream_in(texts)), known(stream_in(others));
            return hand_over(unlocked([&] { return texts_among(sought.views(), known.views(), task); }));
        },
        "texts"_a, "others"_a, "task"_a, "Whether each text is among the others.");
}

void bind_events(nb::module_& m) {
    m.def(
        "encode_column",
        [](Interner& interner, const TextColumn& column, Task& task) {
            return hand_over(unlocked([&] { return encode_column(interner, column, task); }));
        },
        "interner"_a, "column"_a, "task"_a, "The code of every string, -1 for an empty one.");
    m.def(
        "encode_texts",
        [](Interner& interner, const TextColumn& column, I64 places, Task& task) {
            indices_within(span(places), column.size());
            return hand_over(unlocked([&] { return interner.encode(column, span(places), task); }));
        },
        "interner"_a, "column"_a, "places"_a, "task"_a, "The code of the string at each place, also of an empty one.");
    m.def(
        "text_columns",
        [](const Interner& interner, int64_t most_bytes) {
            need(most_bytes >= 1, "columns of at least a byte");
            return unlocked([&] { return text_columns(interner, most_bytes); });
        },
        "interner"_a, "most_bytes"_a, "The strings in the order of their numbers, in columns of so many bytes, or of a single longer string.");
    m.def(
        "parse_times",
        [](const TextColumn& column, int threads, Task& task) {
            Times times = unlocked([&] { return parse_times(column, threads, task); });
            return std::tuple(hand_over(std::move(times.microseconds)), hand_over(std::move(times.shapes)));
        },
        "column"_a, "threads"_a, "task"_a, "Microseconds since 1970 and the shape each was written in, 0 where it is no time.");
    m.def(
        "event_order",
        [](I64 owner, I64 time, int64_t n_owners, int threads, Task& task) {
            need(time.shape(0) == 0 || time.shape(0) == owner.shape(0), "as many times as owners, or none");
            indices_within(span(owner), n_owners);
            return hand_over(unlocked([&] { return event_order(span(owner), span(time), n_owners, threads, task); }));
        },
        "owner"_a, "time"_a, "n_owners"_a, "threads"_a, "task"_a);
    m.def(
        "shared_moments",
        [](I64 owner, I64 time, I64 order) {
            need(time.shape(0) == owner.shape(0), "as many times as owners");
            need(order.shape(0) == 0 || order.shape(0) == owner.shape(0), "an order of all events, or none");
            indices_within(span(order), static_cast<int64_t>(owner.shape(0)));
            SharedMoments found = unlocked([&] { return shared_moments(span(owner), span(time), span(order)); });
            return std::tuple(hand_over(std::move(found.events)), hand_over(std::move(found.moments)));
        },
        "owner"_a, "time"_a, "order"_a);
    m.def("give_back_memory", &give_back_memory, "Hand memory that was freed, but is still held, to the operating system.");
    m.def(
        "unlike_previous",
        [](I64 owner, I64 time, const TextColumn& payload) {
            need(time.shape(0) == owner.shape(0), "as many times as owners");
            need(payload.size() == static_cast<int64_t>(owner.shape(0)), "as many payloads as owners");
            return hand_over(unlocked([&] { return unlike_previous(span(owner), span(time), payload); }));
        },
        "owner"_a, "time"_a, "payload"_a);
}

}  // namespace

void bind_reading(nb::module_& m) {
    bind_columns(m);
    bind_cutting(m);
    bind_same_texts(m);
    bind_events(m);
}
