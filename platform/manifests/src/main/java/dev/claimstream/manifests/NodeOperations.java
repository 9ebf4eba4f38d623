package dev.claimstream.manifests;

import java.util.List;

/** Reads {@code skipNodeOperations} of slices and allocations. */
final class NodeOperations {
    private static final String ALL = "*";
    private static final String PREPARE = "NodePrepareResources";
    private static final String UNPREPARE = "NodeUnprepareResources";

    private NodeOperations() {}

    static List<String> of(Field field) {
        List<Field> items = field.items();
        List<String> operations = items.stream().map(Field::text).toList();
        items.forEach(item -> item.oneOf(item.text(), List.of(ALL, PREPARE, UNPREPARE)));
        Names.checkUnique(items, operations);
        if (operations.contains(PREPARE) && !operations.contains(UNPREPARE) && !operations.contains(ALL)) {
            field.invalid(
                    String.join(", ", operations),
                    "NodePrepareResources cannot be skipped unless NodeUnprepareResources is also skipped",
                    "add NodeUnprepareResources");
        }
        return operations;
    }
}
