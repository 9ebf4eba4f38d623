package dev.claimstream.manifests;

import dev.claimstream.dra.OpaqueConfig;
import dev.claimstream.manifests.tree.DocumentNode;
import dev.claimstream.manifests.tree.ScalarType;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeFields;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Reads opaque parameters for drivers. */
final class ConfigReader {
    private static final int PARAMETER_BYTES_MAX = 10 * 1024;

    private ConfigReader() {}

    /** Reads a required {@code opaque}. */
    static OpaqueConfig opaque(ManifestField field) {
        if (!field.isPresent()) {
            field.required("");
        }
        FieldMap fields = field.fieldsOrEmpty();
        ManifestField driver = fields.get("driver");
        ManifestField parameters = fields.get("parameters");
        OpaqueConfig config =
                new OpaqueConfig(field.isPresent() ? NameValidation.driver(driver) : "", json(parameters, field));
        fields.reportUnknown();
        return config;
    }

    private static String json(ManifestField field, ManifestField config) {
        Optional<DocumentNode> node = field.node();
        if (node.isEmpty()) {
            if (config.isPresent()) {
                field.required("");
            }
            return "";
        }
        if (!(node.get() instanceof DocumentNode.DocumentMapping)) {
            field.invalid("", "must be a valid JSON object", "write fields");
            return "";
        }
        String json = tree(node.get(), field).json();
        if (json.length() > PARAMETER_BYTES_MAX || json.getBytes(StandardCharsets.UTF_8).length > PARAMETER_BYTES_MAX) {
            field.tooLong(PARAMETER_BYTES_MAX);
        }
        return json;
    }

    private static Tree tree(DocumentNode node, ManifestField field) {
        return switch (node) {
            case DocumentNode.DocumentScalar scalar -> scalar(scalar, field);
            case DocumentNode.DocumentSequence sequence ->
                new Tree.Sequence(
                        sequence.items().stream().map(item -> tree(item, field)).toList());
            case DocumentNode.DocumentMapping mapping -> mapping(mapping, field);
        };
    }

    private static Tree mapping(DocumentNode.DocumentMapping mapping, ManifestField field) {
        for (DocumentNode.DocumentField entry : mapping.repeated()) {
            field.child(entry)
                    .undecodable("", "the field occurs twice, this is the second", "leave one of the two out");
        }
        return Tree.mapping((TreeFields fields) ->
                mapping.entries().forEach(entry -> fields.put(entry.name(), tree(entry.value(), field))));
    }

    private static Tree scalar(DocumentNode.DocumentScalar scalar, ManifestField field) {
        return switch (scalar.type()) {
            case NULL -> new Tree.Null();
            case BOOL -> Tree.of(ScalarType.isTrue(scalar.text()));
            case TEXT -> Tree.of(scalar.text());
            case INTEGER, FLOAT ->
                ScalarType.number(scalar.text()).<Tree>map(Tree.Numeral::new).orElseGet(() -> {
                    field.error(scalar.text(), "not a number of JSON", "put the value in double quotes");
                    return new Tree.Null();
                });
        };
    }
}
