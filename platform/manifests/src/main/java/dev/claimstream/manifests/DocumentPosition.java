package dev.claimstream.manifests;

import dev.claimstream.manifests.tree.DocumentNode;
import dev.claimstream.manifests.tree.ScalarType;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** A value of a document while it is searched for pod templates. */
record DocumentPosition(String path, DocumentNode node) implements PodTemplates.ObjectPosition<DocumentPosition> {
    @Override
    public Optional<DocumentPosition> get(String name) {
        return node instanceof DocumentNode.DocumentMapping mapping
                ? Optional.ofNullable(mapping.fields().get(name))
                        .map(DocumentNode.DocumentField::value)
                        .filter(value -> !(value instanceof DocumentNode.DocumentScalar scalar
                                && scalar.type() == ScalarType.NULL))
                        .map(value -> new DocumentPosition(path.isEmpty() ? name : path + "." + name, value))
                : Optional.empty();
    }

    @Override
    public List<DocumentPosition> items(String name) {
        return get(name)
                .filter(list -> list.node instanceof DocumentNode.DocumentSequence)
                .map(list -> items(list.path, ((DocumentNode.DocumentSequence) list.node).items()))
                .orElse(List.of());
    }

    private static List<DocumentPosition> items(String path, List<DocumentNode> items) {
        return IntStream.range(0, items.size())
                .mapToObj(i -> new DocumentPosition("%s[%d]".formatted(path, i), items.get(i)))
                .toList();
    }

    @Override
    public List<String> fieldNames() {
        return node instanceof DocumentNode.DocumentMapping mapping
                ? List.copyOf(mapping.fields().keySet())
                : List.of();
    }
}
