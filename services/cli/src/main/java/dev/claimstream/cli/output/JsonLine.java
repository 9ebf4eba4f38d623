package dev.claimstream.cli.output;

import dev.claimstream.manifests.tree.Tree;

/** Builds a JSON object on one line. Fields keep the order in which they are added. */
public final class JsonLine {
    private final StringBuilder text = new StringBuilder("{");

    public JsonLine text(String name, String value) {
        return literal(name, Tree.of(value).json());
    }

    /** Adds a field with a JSON value: a number, {@code true}, {@code false}, {@code null}, or JSON text. */
    public JsonLine literal(String name, String json) {
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
