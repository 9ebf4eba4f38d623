package dev.claimstream.manifests;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.manifests.tree.DocumentNode;
import dev.claimstream.manifests.tree.DocumentReader;
import dev.claimstream.manifests.tree.ScalarType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Turns the documents of one file into manifests and findings. */
final class ObjectReader implements DocumentReader.ObjectReceiver {
    private static final String NO_OBJECT = "not a Kubernetes object";
    private static final String OBJECT_FIELDS = "write apiVersion, kind, metadata and spec";

    private final String file;
    private final ReadOptions options;
    private final ForeignDocumentPolicy foreignDocuments;
    private final FindingCollector findings;
    private final ManifestCollector collector;
    private final List<ManifestFinding> foreign = new ArrayList<>(0);
    private boolean hasOthers;

    ObjectReader(
            String file,
            ReadOptions options,
            ForeignDocumentPolicy foreignDocuments,
            FindingCollector findings,
            ManifestCollector collected) {
        this.file = file;
        this.options = options;
        this.foreignDocuments = foreignDocuments;
        this.findings = findings;
        this.collector = collected;
    }

    /** The apiVersion and kind of an object; empty if not written. */
    private record TypeMeta(String apiVersion, String kind) {
        static TypeMeta of(DocumentNode.DocumentMapping mapping) {
            return new TypeMeta(text(mapping, "apiVersion"), text(mapping, "kind"));
        }

        /** Returns the text of a field, also if its name has wrong capitals, which is a finding of its own. */
        private static String text(DocumentNode.DocumentMapping mapping, String name) {
            return mapping.text(name)
                    .or(() -> mapping.fields().keySet().stream()
                            .filter(name::equalsIgnoreCase)
                            .findFirst()
                            .flatMap(mapping::text))
                    .orElse("");
        }

        boolean isList() {
            return kind.endsWith(KindRegistry.LIST);
        }

        /** Returns the type of the items of a typed list, for example Pod for PodList. */
        TypeMeta itemType() {
            return isList() && kind.length() > KindRegistry.LIST.length()
                    ? new TypeMeta(apiVersion, kind.substring(0, kind.length() - KindRegistry.LIST.length()))
                    : new TypeMeta("", "");
        }

        TypeMeta withDefaults(TypeMeta other) {
            return new TypeMeta(
                    apiVersion.isEmpty() ? other.apiVersion : apiVersion, kind.isEmpty() ? other.kind : kind);
        }
    }

    @Override
    public boolean isList(DocumentNode.DocumentMapping begin) {
        TypeMeta type = TypeMeta.of(begin);
        return type.kind.isEmpty() || type.isList(); // kubectl prints items before kind
    }

    @Override
    public void item(DocumentNode.DocumentMapping begin, int index, DocumentNode item) {
        if (item instanceof DocumentNode.DocumentMapping mapping) {
            object(mapping, TypeMeta.of(mapping).withDefaults(TypeMeta.of(begin).itemType()));
        } else {
            notAnObject(item);
        }
    }

    @Override
    public void listEnd(DocumentNode.DocumentMapping list, int items) {
        TypeMeta type = TypeMeta.of(list);
        if (!type.isList()) {
            error(list, "kind", type.kind, "a document with items must be a list", "write kind: List");
        }
    }

    @Override
    public void document(DocumentNode root) {
        if (!(root instanceof DocumentNode.DocumentMapping mapping)) {
            if (isListOfFields(root)) {
                foreign(finding(root, "", "", NO_OBJECT, OBJECT_FIELDS));
            } else {
                notAnObject(root);
            }
            return;
        }
        TypeMeta type = TypeMeta.of(mapping);
        if (!type.isList()) {
            object(mapping, type);
        } else if (!isEmptyList(mapping)) {
            error(mapping, "items", "", "expected a list", "write items: [...]");
        }
    }

    private static boolean isEmptyList(DocumentNode.DocumentMapping list) {
        DocumentNode.DocumentField items = list.fields().get(DocumentReader.ITEMS);
        return items == null
                || (items.value() instanceof DocumentNode.DocumentScalar scalar && scalar.type() == ScalarType.NULL);
    }

    /** Returns whether a document is a list of objects of another program, such as a JSON patch. */
    private static boolean isListOfFields(DocumentNode root) {
        return root instanceof DocumentNode.DocumentSequence list
                && !list.items().isEmpty()
                && list.items().stream()
                        .allMatch(item -> item instanceof DocumentNode.DocumentMapping mapping
                                && !mapping.fields().containsKey("kind"));
    }

    private void notAnObject(DocumentNode node) {
        error(node, "", "", NO_OBJECT, OBJECT_FIELDS);
    }

    /** Returns the findings about the documents of a file that has nothing but documents of other programs. */
    List<ManifestFinding> foreignFindings() {
        return List.copyOf(foreign);
    }

    private void foreign(ManifestFinding finding) {
        if (hasOthers) {
            reject(finding);
        } else {
            foreign.add(finding);
        }
    }

    /** Makes documents of other programs errors, because the file also has an object or a mistake. */
    void endForeign() {
        hasOthers = true;
        foreign.forEach(findings::add);
        foreign.forEach(_ -> collector.rejected());
        foreign.clear();
    }

    private void object(DocumentNode.DocumentMapping mapping, TypeMeta type) {
        if (foreignDocuments.handle(file, mapping)) {
            collector.ignored();
            return;
        }
        boolean isForeign = ForeignDocuments.isForeign(file, mapping.fields().keySet(), type.apiVersion, type.kind);
        if (isForeign || type.kind.isEmpty() || type.apiVersion.isEmpty()) {
            String missing = type.kind.isEmpty() || isForeign ? "kind" : "apiVersion";
            ManifestFinding finding =
                    finding(mapping, missing, "", "Required value", missingRemedy(missing, type.kind));
            if (isForeign) {
                foreign(finding);
            } else {
                reject(finding);
            }
            return;
        }
        endForeign();
        Optional<Kind> kind =
                KindRegistry.byName(type.kind).filter(each -> KindRegistry.isKubernetesKind(each, type.apiVersion));
        Optional<ApiVersion> version = kind.flatMap(each -> KindRegistry.servedVersion(each, type.apiVersion));
        if (kind.isPresent() && version.isPresent()) {
            read(kind.get(), version.get(), mapping);
        } else {
            notServed(mapping, type, kind);
        }
    }

    private static String missingRemedy(String missing, String kind) {
        return missing.equals("kind")
                ? "write the kind of the object; in a list, write kind before items or in each item"
                : KindRegistry.byName(kind)
                        .map(each ->
                                "write apiVersion: " + KindRegistry.newest(each).text())
                        .orElse("write it");
    }

    private void notServed(DocumentNode.DocumentMapping mapping, TypeMeta type, Optional<Kind> kind) {
        String message = "no matches for kind \"%s\" in version \"%s\"".formatted(type.kind, type.apiVersion);
        if (kind.isPresent()) {
            String remedy =
                    "write apiVersion: " + KindRegistry.newest(kind.get()).text();
            error(mapping, "apiVersion", type.apiVersion, message, remedy);
        } else if (type.apiVersion.startsWith(ApiVersion.RESOURCE_GROUP) && !type.kind.startsWith("ResourcePool")) {
            error(mapping, "kind", type.kind, message, Remedies.forKind(type.apiVersion, type.kind));
        } else if (options.workloads() == ReadOptions.WorkloadTreatment.EXPANDED
                && PodTemplates.isWorkload(type.apiVersion, type.kind)) {
            WorkloadKind.of(type.apiVersion, type.kind)
                    .ifPresentOrElse(expanded -> workload(expanded, mapping), () -> otherWorkload(mapping, type));
        } else {
            ignored(mapping, type);
        }
    }

    private void ignored(DocumentNode.DocumentMapping mapping, TypeMeta type) {
        boolean isWorkload = PodTemplates.isWorkload(type.apiVersion, type.kind);
        findings.add(new ManifestFinding(
                ManifestFinding.Severity.WARNING,
                location(mapping, "kind"),
                "kind",
                "",
                "kind %s of %s is not served, ignored".formatted(type.kind, type.apiVersion),
                isWorkload ? Remedies.PODS_OF_WORKLOAD : Remedies.forKind("", type.kind)));
        collector.ignored();
    }

    private void workload(WorkloadKind kind, DocumentNode.DocumentMapping mapping) {
        if (WorkloadReader.isPatch(kind, new DocumentPosition("", mapping))) {
            findings.add(new ManifestFinding(
                    ManifestFinding.Severity.WARNING,
                    location(mapping, "kind"),
                    "kind",
                    "",
                    "a %s without spec.%s is a patch, ignored".formatted(kind.apiName(), kind.requiredField()),
                    "leave the file out, or pass the output of kubectl kustomize; or write the field"));
            collector.ignored();
            return;
        }
        ObjectReadContext context = context(ApiVersion.CORE_V1, _ -> Optional.empty());
        FieldMap root = root(mapping, context);
        MetadataReader.MetadataReadResult metadata =
                MetadataReader.of(root.get("metadata"), MetadataReader.Scope.NAMESPACED);
        ObjectMeta meta = collector.workloads().named(kind, metadata);
        Workload workload = WorkloadReader.read(kind, meta, root, context.location(mapping.line(), mapping.column()));
        context.flush();
        if (context.isClean() && collector.workloads().add(workload, ContentDigest.of(mapping))) {
            collector.ignored();
        } else {
            collector.rejected();
        }
    }

    /** Notes a workload that is not expanded, if its pods use claims. */
    private void otherWorkload(DocumentNode.DocumentMapping mapping, TypeMeta type) {
        boolean hasClaims =
                PodTemplates.podSpecs(type.apiVersion, type.kind, new DocumentPosition("", mapping)).stream()
                        .anyMatch(spec -> !spec.items("resourceClaims").isEmpty());
        if (!hasClaims) {
            ignored(mapping, type);
            return;
        }
        ManifestField metadata = root(mapping, context(ApiVersion.CORE_V1, _ -> Optional.empty()))
                .get("metadata")
                .withoutFindings();
        ObjectMeta meta =
                MetadataReader.of(metadata, MetadataReader.Scope.NAMESPACED).meta();
        collector
                .workloads()
                .addOther(
                        Workload.WorkloadKey.of(type.apiVersion, type.kind, meta.namespace(), meta.name()),
                        location(mapping, "kind"));
        collector.ignored();
    }

    private ObjectReadContext context(ApiVersion version, Function<String, Optional<GatedField>> disabledField) {
        return new ObjectReadContext(file, version, options.strictness(), findings, disabledField);
    }

    private static FieldMap root(DocumentNode.DocumentMapping mapping, ObjectReadContext context) {
        ManifestField self =
                new ManifestField(Optional.of(mapping), FieldPath.root(), mapping.line(), mapping.column(), context);
        return new FieldMap(mapping, self).ignore(List.of("apiVersion", "kind"));
    }

    private void read(Kind kind, ApiVersion version, DocumentNode.DocumentMapping mapping) {
        ObjectReadContext context = context(version, path -> GatedField.of(kind, path, options.features()));
        FieldMap root = root(mapping, context);
        MetadataReader.MetadataReadResult metadata = MetadataReader.of(root.get("metadata"), KindRegistry.scope(kind));
        ClusterObject object = KindRegistry.read(kind, metadata.meta(), root);
        context.flush();
        if (context.isClean()) {
            SourceLocation location = context.location(mapping.line(), mapping.column());
            Manifest manifest = new Manifest(
                    object,
                    version.text(),
                    location,
                    metadata.generateName(),
                    context.locations(),
                    context.expressions(),
                    context.disabledFindings(),
                    Optional.empty());
            collector.add(manifest, ContentDigest.of(mapping));
        } else {
            collector.rejected();
        }
    }

    private void error(DocumentNode node, String field, String value, String message, String remedy) {
        reject(finding(node, field, value, message, remedy));
    }

    private void reject(ManifestFinding finding) {
        endForeign();
        findings.add(finding);
        collector.rejected();
    }

    private ManifestFinding finding(DocumentNode node, String field, String value, String message, String remedy) {
        return new ManifestFinding(
                ManifestFinding.Severity.ERROR, location(node, field), field, value, message, remedy);
    }

    private SourceLocation location(DocumentNode node, String field) {
        if (node instanceof DocumentNode.DocumentMapping mapping
                && mapping.fields().containsKey(field)) {
            DocumentNode.DocumentField entry = mapping.fields().get(field);
            return new SourceLocation(file, entry.line(), entry.column());
        }
        return new SourceLocation(file, node.line(), node.column());
    }
}
