package dev.claimstream.manifests;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.manifests.tree.DocumentReader;
import dev.claimstream.manifests.tree.Node;
import dev.claimstream.manifests.tree.ScalarType;
import java.util.List;
import java.util.Optional;

/** Turns the documents of one file into manifests and findings. */
final class ObjectReader implements DocumentReader.Receiver {
    private final String file;
    private final ReadOptions options;
    private final Guests guests;
    private final Findings findings;
    private final Collected collected;

    ObjectReader(String file, ReadOptions options, Guests guests, Findings findings, Collected collected) {
        this.file = file;
        this.options = options;
        this.guests = guests;
        this.findings = findings;
        this.collected = collected;
    }

    /** The apiVersion and kind of an object; empty if not written. */
    private record Type(String apiVersion, String kind) {
        static Type of(Node.Mapping mapping) {
            return new Type(
                    mapping.text("apiVersion").orElse(""), mapping.text("kind").orElse(""));
        }

        boolean isList() {
            return kind.endsWith(Kinds.LIST);
        }

        /** Returns the type of the items of a typed list, for example Pod for PodList. */
        Type ofItems() {
            return isList() && kind.length() > Kinds.LIST.length()
                    ? new Type(apiVersion, kind.substring(0, kind.length() - Kinds.LIST.length()))
                    : new Type("", "");
        }

        Type or(Type other) {
            return new Type(apiVersion.isEmpty() ? other.apiVersion : apiVersion, kind.isEmpty() ? other.kind : kind);
        }
    }

    @Override
    public boolean isList(Node.Mapping begin) {
        Type type = Type.of(begin);
        return type.kind.isEmpty() || type.isList(); // kubectl prints items before kind
    }

    @Override
    public void item(Node.Mapping begin, int index, Node item) {
        if (item instanceof Node.Mapping mapping) {
            object(mapping, Type.of(mapping).or(Type.of(begin).ofItems()));
        } else {
            notAnObject(item);
        }
    }

    @Override
    public void listEnd(Node.Mapping list, int items) {
        Type type = Type.of(list);
        if (!type.isList()) {
            error(list, "kind", type.kind, "a document with items must be a list", "write kind: List");
        }
    }

    @Override
    public void document(Node root) {
        if (!(root instanceof Node.Mapping mapping)) {
            notAnObject(root);
            return;
        }
        Type type = Type.of(mapping);
        if (!type.isList()) {
            object(mapping, type);
        } else if (!isEmptyList(mapping)) {
            error(mapping, "items", "", "expected a list", "write items: [...]");
        }
    }

    private static boolean isEmptyList(Node.Mapping list) {
        Node.Entry items = list.fields().get(DocumentReader.ITEMS);
        return items == null || (items.value() instanceof Node.Scalar scalar && scalar.type() == ScalarType.NULL);
    }

    private void notAnObject(Node node) {
        error(node, "", "", "not an object of Kubernetes", "write apiVersion, kind, metadata and spec");
    }

    private void object(Node.Mapping mapping, Type type) {
        if (guests.takes(file, mapping)) {
            collected.ignored();
            return;
        }
        if (type.kind.isEmpty() || type.apiVersion.isEmpty()) {
            String missing = type.kind.isEmpty() ? "kind" : "apiVersion";
            String name = type.kind;
            error(mapping, missing, "", "Required value", missingRemedy(missing, name));
            return;
        }
        Optional<Kind> kind = Kinds.named(type.kind).filter(each -> Kinds.isMeant(each, type.apiVersion));
        Optional<ApiVersion> version = kind.flatMap(each -> Kinds.version(each, type.apiVersion));
        if (kind.isPresent() && version.isPresent()) {
            read(kind.get(), version.get(), mapping);
        } else {
            notServed(mapping, type, kind);
        }
    }

    private static String missingRemedy(String missing, String kind) {
        return missing.equals("kind")
                ? "write what it is; in a list, write kind before items or in each item"
                : Kinds.named(kind)
                        .map(each -> "write apiVersion: " + Kinds.newest(each).text())
                        .orElse("write it");
    }

    private void notServed(Node.Mapping mapping, Type type, Optional<Kind> kind) {
        String message = "no matches for kind \"%s\" in version \"%s\"".formatted(type.kind, type.apiVersion);
        if (kind.isPresent()) {
            String remedy = "write apiVersion: " + Kinds.newest(kind.get()).text();
            error(mapping, "apiVersion", type.apiVersion, message, remedy);
        } else if (type.apiVersion.startsWith(ApiVersion.RESOURCE_GROUP) && !type.kind.startsWith("ResourcePool")) {
            error(mapping, "kind", type.kind, message, Remedies.forKind(type.apiVersion, type.kind));
        } else {
            Place place = place(mapping, "kind");
            findings.add(new Finding(
                    Finding.Severity.WARNING,
                    place,
                    "kind",
                    "",
                    "kind %s of %s is not served, ignored".formatted(type.kind, type.apiVersion),
                    Remedies.forKind("", type.kind)));
            collected.ignored();
        }
    }

    private void read(Kind kind, ApiVersion version, Node.Mapping mapping) {
        Report report = new Report(file, version, options.strictness(), findings);
        Field self = new Field(Optional.of(mapping), FieldPath.root(), mapping.line(), mapping.column(), report);
        Fields root = new Fields(mapping, self).ignoring(List.of("apiVersion", "kind"));
        Metadata.Read metadata = Metadata.of(root.get("metadata"), Kinds.scope(kind));
        ClusterObject object = Kinds.read(kind, metadata.meta(), root);
        report.close();
        if (report.isClean()) {
            Place place = report.place(mapping.line(), mapping.column());
            collected.add(new Manifest(
                    object, version.text(), place, metadata.generateName(), report.places(), report.expressions()));
        } else {
            collected.refused();
        }
    }

    private void error(Node node, String field, String value, String message, String remedy) {
        findings.add(new Finding(Finding.Severity.ERROR, place(node, field), field, value, message, remedy));
        collected.refused();
    }

    private Place place(Node node, String field) {
        if (node instanceof Node.Mapping mapping && mapping.fields().containsKey(field)) {
            Node.Entry entry = mapping.fields().get(field);
            return new Place(file, entry.line(), entry.column());
        }
        return new Place(file, node.line(), node.column());
    }
}
