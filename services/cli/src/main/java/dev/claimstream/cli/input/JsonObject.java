package dev.claimstream.cli.input;

import dev.claimstream.manifests.tree.Tree;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;

/** A JSON object of the console or the data folder, with accessors by field name. A missing field is empty. */
public record JsonObject(Tree tree) {
    private Optional<Tree> field(String name) {
        return tree instanceof Tree.Mapping mapping
                ? Optional.ofNullable(mapping.fields().get(name))
                : Optional.empty();
    }

    public Optional<String> find(String name) {
        return field(name).map(JsonObject::plain);
    }

    public String text(String name) {
        return find(name).orElse("");
    }

    /** Returns the text for a table cell: {@code -} if the field is missing or empty. */
    public String cell(String name) {
        return find(name).filter(text -> !text.isEmpty()).orElse("-");
    }

    public long number(String name) {
        return field(name)
                .map(each -> each instanceof Tree.Numeral(String literal) ? new BigDecimal(literal).longValue() : 0)
                .orElse(0L);
    }

    public JsonObject item(String name) {
        return new JsonObject(field(name).orElse(new Tree.Null()));
    }

    /** Returns the field names. */
    public List<String> names() {
        return tree instanceof Tree.Mapping mapping
                ? List.copyOf(mapping.fields().keySet())
                : List.of();
    }

    public List<JsonObject> items(String name) {
        return field(name)
                .filter(Tree.Sequence.class::isInstance)
                .map(each -> ((Tree.Sequence) each)
                        .items().stream().map(JsonObject::new).toList())
                .orElse(List.of());
    }

    public List<String> texts(String name) {
        return items(name).stream().map(each -> plain(each.tree)).toList();
    }

    /** Returns the fields of a nested object as {@code name=value}. */
    public List<String> pairs(String name) {
        return item(name).tree instanceof Tree.Mapping mapping
                ? mapping.fields().entrySet().stream()
                        .map(field -> field.getKey() + "=" + plain(field.getValue()))
                        .toList()
                : List.of();
    }

    private static String plain(Tree tree) {
        return switch (tree) {
            case Tree.Text(String value) -> value;
            case Tree.Numeral(String literal) -> literal;
            case Tree.Bool(boolean value) -> Boolean.toString(value);
            case Tree.Null() -> "";
            case Tree.Sequence _, Tree.Mapping _ -> tree.json();
        };
    }
}
