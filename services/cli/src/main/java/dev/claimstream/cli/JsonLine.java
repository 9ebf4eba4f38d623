package dev.claimstream.cli;

import dev.claimstream.manifests.tree.Tree;

/** An object of JSON on one line, with its fields in the order in which they are put. */
final class JsonLine {
    private final StringBuilder text = new StringBuilder("{");

    JsonLine text(String name, String value) {
        return literal(name, Tree.of(value).json());
    }

    /** A number, {@code true}, {@code false}, {@code null} or what is JSON already. */
    JsonLine literal(String name, String json) {
        text.append(text.length() == 1 ? "" : ",")
                .append(Tree.of(name).json())
                .append(':')
                .append(json);
        return this;
    }

    @Override
    public String toString() {
        return text + "}";
    }
}
