package dev.claimstream.manifests;

import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Owner;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Reads {@code metadata}. */
final class Metadata {
    private static final List<String> IGNORED = List.of(
            "selfLink",
            "resourceVersion",
            "generation",
            "deletionGracePeriodSeconds",
            "finalizers",
            "clusterName",
            "managedFields");
    private static final List<String> OWNER_IGNORED = List.of("apiVersion", "blockOwnerDeletion");

    /** Metadata fields that a template must not set, in addition to the ignored ones; it sets only labels and annotations. */
    private static final List<String> NOT_OF_TEMPLATES = List.of(
            "name", "generateName", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "ownerReferences");

    private Metadata() {}

    /** The labels and annotations that a template gives to its claims. */
    record Passed(SortedMap<String, String> labels, SortedMap<String, String> annotations) {
        static Passed of(Field field) {
            Fields fields = field.fieldsOrNone();
            Passed passed =
                    new Passed(Metadata.labels(fields.get("labels")), Metadata.annotations(fields.get("annotations")));
            Stream.concat(IGNORED.stream(), NOT_OF_TEMPLATES.stream())
                    .map(fields::get)
                    .filter(Field::isPresent)
                    .forEach(each -> each.forbidden("cannot be set", "write labels and annotations only"));
            fields.end();
            return passed;
        }
    }

    /** The metadata of an object, with its {@code generateName} if the API server generates the name. */
    record Read(ObjectMeta meta, Optional<String> generateName) {}

    /** The scope of a kind. */
    enum Scope {
        NAMESPACED,
        CLUSTER
    }

    static Read of(Field field, Scope scope) {
        Fields fields = field.fieldsOrNone();
        Field name = fields.get("name");
        Field generateName = fields.get("generateName");
        String written = name.text();
        Optional<String> generated = written.isEmpty() ? generateName.optionalText() : Optional.empty();
        name(name, generated.filter(base -> !base.isEmpty()));
        ObjectMeta meta = new ObjectMeta(
                namespace(fields.get("namespace"), scope),
                written,
                fields.get("uid").text(),
                fields.get("creationTimestamp").instant(),
                0,
                labels(fields.get("labels")),
                annotations(fields.get("annotations")),
                controller(fields.get("ownerReferences")),
                fields.get("deletionTimestamp").instant().isPresent());
        generateName.optionalText();
        fields.ignoring(IGNORED).end();
        return new Read(meta, generated);
    }

    private static void name(Field name, Optional<String> generateName) {
        name.kept();
        if (!name.text().isEmpty()) {
            Names.checkSubdomain(name, name.text(), Names.SUBDOMAIN_MAX);
        } else if (generateName.isEmpty() && !name.isPresent()) {
            name.required("name or generateName is required");
        }
    }

    private static String namespace(Field namespace, Scope scope) {
        String text = namespace.text();
        if (scope == Scope.CLUSTER && !text.isEmpty()) {
            namespace.invalid(text, "not allowed on this type", "leave it out");
            return "";
        }
        if (!text.isEmpty()) {
            Names.checkLabel(namespace, text);
        }
        return text;
    }

    static SortedMap<String, String> labels(Field labels) {
        SortedMap<String, String> texts = new TreeMap<>();
        labels.values().forEach((key, value) -> {
            Names.checkLabelName(value, key);
            String text = value.text();
            Names.checkLabelValue(value, text);
            texts.put(key, text);
        });
        return texts;
    }

    static SortedMap<String, String> annotations(Field annotations) {
        SortedMap<String, String> texts = new TreeMap<>();
        annotations.values().forEach((key, value) -> texts.put(key, value.text()));
        return texts;
    }

    private static Optional<Owner> controller(Field owners) {
        Optional<Owner> controller = Optional.empty();
        for (Field each : owners.items()) {
            Fields owner = each.fieldsOrNone();
            boolean controls = owner.get("controller").isTrue();
            Owner read = new Owner(
                    owner.get("kind").text(),
                    owner.get("name").text(),
                    owner.get("uid").text());
            owner.ignoring(OWNER_IGNORED).end();
            if (controls) {
                controller = Optional.of(read);
            }
        }
        return controller;
    }
}
