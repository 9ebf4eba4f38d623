package dev.claimstream.manifests;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceClaimTemplate;
import dev.claimstream.manifests.MetadataReader.Scope;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The served kinds, their versions and their readers. */
final class KindRegistry {
    static final String LIST = "List";

    private static final Set<ApiVersion> SERVED =
            EnumSet.of(ApiVersion.RESOURCE_V1, ApiVersion.RESOURCE_V1BETA2, ApiVersion.RESOURCE_V1BETA1);
    private static final Set<ApiVersion> TAINT_RULE_SERVED =
            EnumSet.of(ApiVersion.RESOURCE_V1, ApiVersion.RESOURCE_V1BETA2, ApiVersion.RESOURCE_V1ALPHA3);
    private static final Set<ApiVersion> POD_GROUP_SERVED =
            EnumSet.of(ApiVersion.SCHEDULING_V1BETA1, ApiVersion.SCHEDULING_V1ALPHA3, ApiVersion.SCHEDULING_V1ALPHA2);

    private KindRegistry() {}

    static Optional<Kind> byName(String kind) {
        return Arrays.stream(Kind.values())
                .filter(each -> each.apiName().equals(kind))
                .findFirst();
    }

    /** Returns whether a kind name with this apiVersion means the Kubernetes kind: other schedulers have their own PodGroup. */
    static boolean isKubernetesKind(Kind kind, String apiVersion) {
        return kind != Kind.POD_GROUP || apiVersion.startsWith(ApiVersion.SCHEDULING_GROUP);
    }

    static Optional<ApiVersion> servedVersion(Kind kind, String apiVersion) {
        Set<ApiVersion> versions = switch (kind) {
            case RESOURCE_SLICE, DEVICE_CLASS, RESOURCE_CLAIM, RESOURCE_CLAIM_TEMPLATE -> SERVED;
            case DEVICE_TAINT_RULE -> TAINT_RULE_SERVED;
            case NODE, NAMESPACE, POD -> EnumSet.of(ApiVersion.CORE_V1);
            case POD_GROUP -> POD_GROUP_SERVED;
        };
        return versions.stream().filter(each -> each.text().equals(apiVersion)).findFirst();
    }

    /** Returns the version to recommend for a kind. */
    static ApiVersion newest(Kind kind) {
        return switch (kind) {
            case RESOURCE_SLICE, DEVICE_CLASS, RESOURCE_CLAIM, RESOURCE_CLAIM_TEMPLATE, DEVICE_TAINT_RULE ->
                ApiVersion.RESOURCE_V1;
            case NODE, NAMESPACE, POD -> ApiVersion.CORE_V1;
            case POD_GROUP -> ApiVersion.SCHEDULING_V1BETA1;
        };
    }

    /** Returns whether a kind is namespaced or cluster-scoped. */
    static Scope scope(Kind kind) {
        return switch (kind) {
            case RESOURCE_CLAIM, RESOURCE_CLAIM_TEMPLATE, POD, POD_GROUP -> Scope.NAMESPACED;
            case RESOURCE_SLICE, DEVICE_CLASS, DEVICE_TAINT_RULE, NODE, NAMESPACE -> Scope.CLUSTER;
        };
    }

    /** Returns the names of the kinds in the group resource.k8s.io. */
    static List<String> resourceKinds() {
        return Arrays.stream(Kind.values())
                .filter(kind -> newest(kind) == ApiVersion.RESOURCE_V1)
                .map(Kind::apiName)
                .toList();
    }

    static ClusterObject read(Kind kind, ObjectMeta meta, FieldMap root) {
        ClusterObject object = switch (kind) {
            case RESOURCE_SLICE -> SliceReader.of(meta, spec(root));
            case DEVICE_CLASS -> DeviceClassReader.deviceClass(meta, spec(root));
            case DEVICE_TAINT_RULE -> DeviceClassReader.taintRule(meta, spec(root));
            case NODE -> NodeObjectReader.of(meta, root.get("spec"), root.get("status"));
            case NAMESPACE -> new Namespace(meta);
            case RESOURCE_CLAIM -> claim(meta, root);
            case RESOURCE_CLAIM_TEMPLATE -> template(meta, spec(root));
            case POD -> PodReader.of(meta, root.get("spec"), root.get("status"));
            case POD_GROUP -> PodGroupReader.of(meta, root.get("spec"), root.get("status"));
        };
        root.ignore(ignored(kind)).reportUnknown();
        return object;
    }

    private static List<String> ignored(Kind kind) {
        return switch (kind) {
            case DEVICE_TAINT_RULE -> List.of("status");
            case NAMESPACE -> List.of("spec", "status");
            case RESOURCE_SLICE, DEVICE_CLASS, RESOURCE_CLAIM, RESOURCE_CLAIM_TEMPLATE, NODE, POD, POD_GROUP ->
                List.of();
        };
    }

    private static ManifestField spec(FieldMap root) {
        ManifestField spec = root.get("spec");
        if (!spec.isPresent()) {
            spec.required("");
        }
        return spec;
    }

    private static ResourceClaim claim(ObjectMeta meta, FieldMap root) {
        var spec = ClaimSpecReader.spec(spec(root));
        var status = ClaimStatusReader.of(root.get("status"), spec.requests());
        return new ResourceClaim(meta, spec, status.allocation(), status.reservedFor());
    }

    private static ResourceClaimTemplate template(ObjectMeta meta, ManifestField field) {
        FieldMap spec = field.fieldsOrEmpty();
        var passed = MetadataReader.TemplateMetadata.of(spec.get("metadata"));
        ResourceClaimTemplate template = new ResourceClaimTemplate(
                meta, passed.labels(), passed.annotations(), ClaimSpecReader.spec(spec(spec)));
        spec.reportUnknown();
        return template;
    }
}
