package dev.claimstream.load.beside;

import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeReader;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A line of JSON that a program has written. */
record JsonResultLine(Tree tree) {
    /** @throws IllegalArgumentException if the text is not JSON */
    static JsonResultLine of(String text) {
        return new JsonResultLine(TreeReader.json(text));
    }

    Optional<JsonResultLine> at(String name) {
        return tree instanceof Tree.Mapping mapping
                ? Optional.ofNullable(mapping.fields().get(name)).map(JsonResultLine::new)
                : Optional.empty();
    }

    /** Returns a number; zero if it is missing. */
    double number(String name) {
        return at(name).map(JsonResultLine::number).orElse(0.0);
    }

    private double number() {
        return tree instanceof Tree.Numeral numeral ? Double.parseDouble(numeral.literal()) : 0;
    }

    /** Returns numbers by name. */
    Map<String, Double> numbers(String name) {
        Map<String, Double> numbers = new TreeMap<>();
        if (at(name).map(JsonResultLine::tree).orElse(new Tree.Null()) instanceof Tree.Mapping mapping) {
            mapping.fields().forEach((key, value) -> numbers.put(key, new JsonResultLine(value).number()));
        }
        return numbers;
    }

    /** Returns a string; empty if it is missing. */
    String text(String name) {
        return at(name).map(JsonResultLine::tree).orElse(new Tree.Null()) instanceof Tree.Text text ? text.value() : "";
    }
}
