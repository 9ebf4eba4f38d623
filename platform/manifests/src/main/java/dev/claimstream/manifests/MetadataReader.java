package dev.claimstream.manifests;

import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Owner;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Reads {@code metadata}; fields of an API server that do not matter are skipped. */
final class MetadataReader {
    private static final List<String> IGNORED = List.of(
            "selfLink",
            "resourceVersion",
            "generation",
            "deletionGracePeriodSeconds",
            "finalizers",
            "clusterName",
            "managedFields");
    private static final List<String> OWNER_IGNORED = List.of("blockOwnerDeletion");

    /** Metadata fields that a template must not set, in addition to the ignored ones; it sets only labels and annotations. */
    private static final List<String> FORBIDDEN_IN_TEMPLATES = List.of(
            "name", "generateName", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "ownerReferences");

    private MetadataReader() {}

    /** The labels and annotations that a template gives to its claims. */
    record TemplateMetadata(SortedMap<String, String> labels, SortedMap<String, String> annotations) {
        static TemplateMetadata of(ManifestField field) {
            FieldMap fields = field.fieldsOrEmpty();
            TemplateMetadata passed = new TemplateMetadata(
                    MetadataReader.labels(fields.get("labels")), MetadataReader.annotations(fields.get("annotations")));
            Stream.concat(IGNORED.stream(), FORBIDDEN_IN_TEMPLATES.stream())
                    .map(fields::get)
                    .filter(ManifestField::isPresent)
                    .forEach(each -> each.forbidden("cannot be set", "write labels and annotations only"));
            fields.reportUnknown();
            return passed;
        }
    }

    /** The metadata of an object, with its {@code generateName} if the API server generates the name. */
    record MetadataReadResult(ObjectMeta meta, Optional<String> generateName) {}

    /** The scope of a kind. */
    enum Scope {
        NAMESPACED,
        CLUSTER
    }

    static MetadataReadResult of(ManifestField field, Scope scope) {
        FieldMap fields = field.fieldsOrEmpty();
        ManifestField name = fields.get("name");
        ManifestField generateName = fields.get("generateName");
        String written = name.text();
        Optional<String> generated = written.isEmpty() ? generateName.optionalText() : Optional.empty();
        name(name, generated.filter(base -> !base.isEmpty()));
        ObjectMeta meta = ObjectMeta.builder(
                        namespace(fields.get("namespace"), scope),
                        written,
                        fields.get("uid").text())
                .created(fields.get("creationTimestamp").instant())
                .labels(labels(fields.get("labels")))
                .annotations(annotations(fields.get("annotations")))
                .controller(controller(fields.get("ownerReferences")))
                .deleting(fields.get("deletionTimestamp").instant().isPresent())
                .build();
        generateName.optionalText();
        fields.ignore(IGNORED).reportUnknown();
        return new MetadataReadResult(meta, generated);
    }

    private static void name(ManifestField name, Optional<String> generateName) {
        name.recordLocation();
        if (!name.text().isEmpty()) {
            NameValidation.checkSubdomain(name, name.text(), NameValidation.SUBDOMAIN_MAX);
        } else if (generateName.isEmpty() && !name.isPresent()) {
            name.required("name or generateName is required");
        }
    }

    private static String namespace(ManifestField namespace, Scope scope) {
        String text = namespace.text();
        if (scope == Scope.CLUSTER && !text.isEmpty()) {
            namespace.invalid(text, "not allowed on this type", "leave it out");
            return "";
        }
        if (!text.isEmpty()) {
            NameValidation.checkLabel(namespace, text);
        }
        return text;
    }

    static SortedMap<String, String> labels(ManifestField labels) {
        SortedMap<String, String> texts = new TreeMap<>();
        labels.values().forEach((key, value) -> {
            NameValidation.checkLabelName(value, key);
            String text = value.text();
            NameValidation.checkLabelValue(value, text);
            texts.put(key, text);
        });
        return texts;
    }

    static SortedMap<String, String> annotations(ManifestField annotations) {
        SortedMap<String, String> texts = new TreeMap<>();
        annotations.values().forEach((key, value) -> texts.put(key, value.text()));
        return texts;
    }

    private static Optional<Owner> controller(ManifestField owners) {
        Optional<Owner> controller = Optional.empty();
        for (ManifestField each : owners.items()) {
            FieldMap owner = each.fieldsOrEmpty();
            boolean controls = owner.get("controller").isTrue();
            Owner read = new Owner(
                    owner.get("apiVersion").text(),
                    owner.get("kind").text(),
                    owner.get("name").text(),
                    owner.get("uid").text());
            owner.ignore(OWNER_IGNORED).reportUnknown();
            if (controls) {
                controller = Optional.of(read);
            }
        }
        return controller;
    }
}
