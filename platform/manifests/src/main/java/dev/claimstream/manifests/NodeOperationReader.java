package dev.claimstream.manifests;

import java.util.List;

/** Reads {@code skipNodeOperations} of slices and allocations. */
final class NodeOperationReader {
    private static final String ALL = "*";
    private static final String PREPARE = "NodePrepareResources";
    private static final String UNPREPARE = "NodeUnprepareResources";

    private NodeOperationReader() {}

    static List<String> of(ManifestField field) {
        List<ManifestField> items = field.items();
        List<String> operations = items.stream().map(ManifestField::text).toList();
        items.forEach(item -> item.requireOneOf(item.text(), List.of(ALL, PREPARE, UNPREPARE)));
        NameValidation.checkUnique(items, operations);
        if (operations.contains(PREPARE) && !operations.contains(UNPREPARE) && !operations.contains(ALL)) {
            field.invalid(
                    String.join(", ", operations),
                    "NodePrepareResources cannot be skipped unless NodeUnprepareResources is also skipped",
                    "add NodeUnprepareResources");
        }
        return operations;
    }
}
