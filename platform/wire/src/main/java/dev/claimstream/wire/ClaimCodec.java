package dev.claimstream.wire;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.AllocationConfig;
import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.ClaimConfig;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ContainerResource;
import dev.claimstream.dra.DerivedAttribute;
import dev.claimstream.dra.DeviceConstraint;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.PodTopology;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceClaimTemplate;
import dev.claimstream.dra.ResourceList;
import dev.claimstream.schemas.AllocationConfigRecord;
import dev.claimstream.schemas.AllocationRecord;
import dev.claimstream.schemas.ClaimConfigRecord;
import dev.claimstream.schemas.ClaimConsumerRecord;
import dev.claimstream.schemas.ClaimSpecRecord;
import dev.claimstream.schemas.ContainerResourceRecord;
import dev.claimstream.schemas.DerivedAttributeRecord;
import dev.claimstream.schemas.DeviceConstraintRecord;
import dev.claimstream.schemas.DeviceIdRecord;
import dev.claimstream.schemas.DeviceRequestRecord;
import dev.claimstream.schemas.DeviceResultRecord;
import dev.claimstream.schemas.DeviceSubRequest;
import dev.claimstream.schemas.ExactDeviceRequest;
import dev.claimstream.schemas.PodClaimRecord;
import dev.claimstream.schemas.PodGroupRecord;
import dev.claimstream.schemas.PodRecord;
import dev.claimstream.schemas.RequestSpecRecord;
import dev.claimstream.schemas.ResourceClaimRecord;
import dev.claimstream.schemas.ResourceClaimTemplateRecord;
import java.util.List;
import java.util.TreeMap;

/** Converts claims, templates, allocations, pods and pod groups to and from Avro. */
final class ClaimCodec {
    private ClaimCodec() {}

    static ResourceClaimRecord to(ResourceClaim claim) {
        return new ResourceClaimRecord(
                MetadataCodec.to(claim.meta()),
                to(claim.spec()),
                claim.allocation().map(ClaimCodec::to).orElse(null),
                consumers(claim.reservedFor()));
    }

    static ResourceClaim from(ResourceClaimRecord claim) {
        return new ResourceClaim(
                MetadataCodec.from(claim.getMeta()),
                from(claim.getSpec()),
                claim.getAllocation().map(ClaimCodec::from),
                consumersFrom(claim.getReservedFor()));
    }

    static ResourceClaimTemplateRecord to(ResourceClaimTemplate template) {
        return new ResourceClaimTemplateRecord(
                MetadataCodec.to(template.meta()),
                new TreeMap<>(template.claimLabels()),
                new TreeMap<>(template.claimAnnotations()),
                to(template.spec()));
    }

    static ResourceClaimTemplate from(ResourceClaimTemplateRecord template) {
        return new ResourceClaimTemplate(
                MetadataCodec.from(template.getMeta()),
                new TreeMap<>(template.getClaimLabels()),
                new TreeMap<>(template.getClaimAnnotations()),
                from(template.getSpec()));
    }

    // ---- specifications

    private static ClaimSpecRecord to(ClaimSpec spec) {
        return new ClaimSpecRecord(
                spec.requests().stream().map(ClaimCodec::to).toList(),
                spec.constraints().stream().map(ClaimCodec::to).toList(),
                spec.config().stream()
                        .map(each -> new ClaimConfigRecord(each.requests(), MetadataCodec.to(each.opaque())))
                        .toList());
    }

    private static ClaimSpec from(ClaimSpecRecord spec) {
        return new ClaimSpec(
                spec.getRequests().stream().map(ClaimCodec::from).toList(),
                spec.getConstraints().stream().map(ClaimCodec::from).toList(),
                spec.getConfig().stream()
                        .map(each -> new ClaimConfig(each.getRequests(), MetadataCodec.from(each.getOpaque())))
                        .toList());
    }

    private static DeviceRequestRecord to(DeviceRequest request) {
        return switch (request) {
            case DeviceRequest.Exactly exactly ->
                new DeviceRequestRecord(
                        exactly.name(),
                        new ExactDeviceRequest(
                                to(exactly.spec()), exactly.adminAccess().orElse(null)),
                        null);
            case DeviceRequest.FirstAvailable first ->
                new DeviceRequestRecord(
                        first.name(),
                        null,
                        first.alternatives().stream()
                                .map(each -> new DeviceSubRequest(each.name(), to(each.spec())))
                                .toList());
            case DeviceRequest.UnknownRequest unsupported -> new DeviceRequestRecord(unsupported.name(), null, null);
        };
    }

    private static DeviceRequest from(DeviceRequestRecord request) {
        if (request.getExactly().isPresent()) {
            ExactDeviceRequest exactly = request.getExactly().get();
            return new DeviceRequest.Exactly(request.getName(), from(exactly.getSpec()), exactly.getAdminAccess());
        }
        return request.getFirstAvailable()
                .<DeviceRequest>map(alternatives -> new DeviceRequest.FirstAvailable(
                        request.getName(),
                        alternatives.stream()
                                .map(each -> new DeviceRequest.Alternative(each.getName(), from(each.getSpec())))
                                .toList()))
                .orElse(new DeviceRequest.UnknownRequest(request.getName()));
    }

    private static RequestSpecRecord to(RequestSpec spec) {
        return new RequestSpecRecord(
                spec.deviceClassName(),
                spec.selectors(),
                spec.allocationMode().name(),
                spec.count(),
                spec.tolerations().stream().map(MetadataCodec::to).toList(),
                MetadataCodec.to(spec.capacity()),
                spec.derivedAttributes().stream()
                        .map(each -> new DerivedAttributeRecord(each.name(), each.expression()))
                        .toList());
    }

    private static RequestSpec from(RequestSpecRecord spec) {
        return new RequestSpec(
                InternTable.STRINGS.intern(spec.getDeviceClassName()),
                spec.getSelectors().stream().map(InternTable.STRINGS::intern).toList(),
                new AllocationMode(spec.getAllocationMode()),
                spec.getCount(),
                spec.getTolerations().stream().map(MetadataCodec::from).toList(),
                MetadataCodec.quantities(spec.getCapacity()),
                spec.getDerivedAttributes().stream()
                        .map(each -> new DerivedAttribute(each.getName(), each.getExpression()))
                        .toList());
    }

    private static DeviceConstraintRecord to(DeviceConstraint constraint) {
        return switch (constraint) {
            case DeviceConstraint.MatchAttribute match ->
                new DeviceConstraintRecord(match.requests(), match.attribute(), null);
            case DeviceConstraint.DistinctAttribute distinct ->
                new DeviceConstraintRecord(distinct.requests(), null, distinct.attribute());
            case DeviceConstraint.UnknownConstraint unsupported ->
                new DeviceConstraintRecord(unsupported.requests(), null, null);
        };
    }

    private static DeviceConstraint from(DeviceConstraintRecord constraint) {
        List<String> requests = constraint.getRequests();
        return constraint
                .getMatchAttribute()
                .<DeviceConstraint>map(attribute -> new DeviceConstraint.MatchAttribute(requests, attribute))
                .or(() -> constraint
                        .getDistinctAttribute()
                        .map(attribute -> new DeviceConstraint.DistinctAttribute(requests, attribute)))
                .orElse(new DeviceConstraint.UnknownConstraint(requests));
    }

    // ---- allocations

    static AllocationRecord to(Allocation allocation) {
        return new AllocationRecord(
                allocation.results().stream().map(ClaimCodec::to).toList(),
                allocation.config().stream()
                        .map(each -> new AllocationConfigRecord(
                                each.source().apiName(), each.requests(), MetadataCodec.to(each.opaque())))
                        .toList(),
                allocation.nodeSelector().map(MetadataCodec::to).orElse(null),
                AvroTimestamps.micros(allocation.allocationTimestamp()).orElse(null));
    }

    static Allocation from(AllocationRecord allocation) {
        return new Allocation(
                allocation.getResults().stream().map(ClaimCodec::from).toList(),
                allocation.getConfig().stream()
                        .map(each -> new AllocationConfig(
                                source(each.getSource()), each.getRequests(), MetadataCodec.from(each.getOpaque())))
                        .toList(),
                allocation.getNodeSelector().map(MetadataCodec::from),
                allocation.getAllocationTimestamp());
    }

    private static AllocationConfig.AllocationConfigSource source(String name) {
        return name.equals(AllocationConfig.AllocationConfigSource.FROM_CLASS.apiName())
                ? AllocationConfig.AllocationConfigSource.FROM_CLASS
                : AllocationConfig.AllocationConfigSource.FROM_CLAIM;
    }

    private static DeviceResultRecord to(DeviceResult result) {
        return new DeviceResultRecord(
                result.request(),
                to(result.device()),
                result.adminAccess(),
                result.tolerations().stream().map(MetadataCodec::to).toList(),
                result.bindingConditions(),
                result.bindingFailureConditions(),
                result.shareId().orElse(null),
                MetadataCodec.to(result.consumedCapacity()),
                result.skipNodeOperations());
    }

    private static DeviceResult from(DeviceResultRecord result) {
        return DeviceResult.builder(result.getRequest(), from(result.getDevice()))
                .adminAccess(result.getAdminAccess())
                .tolerations(result.getTolerations().stream()
                        .map(MetadataCodec::from)
                        .toList())
                .bindingConditions(result.getBindingConditions())
                .bindingFailureConditions(result.getBindingFailureConditions())
                .shareId(result.getShareId())
                .consumedCapacity(MetadataCodec.quantities(result.getConsumedCapacity()))
                .skipNodeOperations(result.getSkipNodeOperations())
                .build();
    }

    static DeviceIdRecord to(DeviceId device) {
        return new DeviceIdRecord(device.driver(), device.pool(), device.device());
    }

    static DeviceId from(DeviceIdRecord device) {
        return new DeviceId(device.getDriver(), device.getPool(), device.getDevice());
    }

    static List<ClaimConsumerRecord> consumers(List<ClaimConsumer> consumers) {
        return consumers.stream()
                .map(each -> new ClaimConsumerRecord(each.apiGroup(), each.resource(), each.name(), each.uid()))
                .toList();
    }

    static List<ClaimConsumer> consumersFrom(List<ClaimConsumerRecord> consumers) {
        return consumers.stream()
                .map(each -> new ClaimConsumer(each.getApiGroup(), each.getResource(), each.getName(), each.getUid()))
                .toList();
    }

    // ---- pods

    static PodRecord to(Pod pod) {
        return new PodRecord(
                MetadataCodec.to(pod.meta()),
                pod.nodeName().orElse(null),
                new TreeMap<>(pod.nodeSelector()),
                pod.requiredAffinity().map(MetadataCodec::to).orElse(null),
                pod.tolerations().stream().map(MetadataCodec::to).toList(),
                pod.priority(),
                pod.resourceClaims().stream().map(ClaimCodec::to).toList(),
                pod.finished(),
                pod.containerResources().stream().map(ClaimCodec::to).toList(),
                new TreeMap<>(pod.requests().amounts()),
                pod.podGroup().orElse(null),
                new TreeMap<>(pod.spare()),
                pod.schedulingGates(),
                pod.topology().equals(PodTopology.none()) ? null : TopologyCodec.to(pod.topology()),
                pod.preempts(),
                pod.phase());
    }

    static Pod from(PodRecord pod) {
        return Pod.builder(MetadataCodec.from(pod.getMeta()))
                .nodeName(pod.getNodeName())
                .nodeSelector(new TreeMap<>(pod.getNodeSelector()))
                .requiredAffinity(pod.getRequiredAffinity().map(MetadataCodec::from))
                .tolerations(
                        pod.getTolerations().stream().map(MetadataCodec::from).toList())
                .priority(pod.getPriority())
                .preempts(pod.getPreempts())
                .resourceClaims(
                        pod.getResourceClaims().stream().map(ClaimCodec::from).toList())
                .containerResources(pod.getContainerResources().stream()
                        .map(ClaimCodec::from)
                        .toList())
                .requests(new ResourceList(new TreeMap<>(pod.getRequests())))
                .spare(new TreeMap<>(pod.getSpare()))
                .podGroup(pod.getPodGroup())
                .schedulingGates(pod.getSchedulingGates())
                .topology(pod.getTopology().map(TopologyCodec::from).orElseGet(PodTopology::none))
                .finished(pod.getFinished())
                .phase(pod.getPhase())
                .build();
    }

    static PodGroupRecord to(PodGroup group) {
        return new PodGroupRecord(
                MetadataCodec.to(group.meta()),
                group.resourceClaims().stream().map(ClaimCodec::to).toList(),
                group.minCount());
    }

    static PodGroup from(PodGroupRecord group) {
        return new PodGroup(
                MetadataCodec.from(group.getMeta()),
                group.getMinCount(),
                group.getResourceClaims().stream().map(ClaimCodec::from).toList());
    }

    private static ContainerResourceRecord to(ContainerResource request) {
        return new ContainerResourceRecord(
                request.container(), request.resourceIndex(), request.resource(), request.count(), request.ends());
    }

    private static ContainerResource from(ContainerResourceRecord request) {
        return new ContainerResource(
                request.getContainer(),
                request.getResourceIndex(),
                request.getResource(),
                request.getCount(),
                request.getEnds());
    }

    private static PodClaimRecord to(PodClaim claim) {
        return switch (claim.source()) {
            case PodClaim.ClaimSource.ClaimReference named ->
                new PodClaimRecord(claim.name(), named.claim(), null, false, claim.containers());
            case PodClaim.ClaimSource.TemplateReference from ->
                new PodClaimRecord(claim.name(), null, from.template(), false, claim.containers());
            case PodClaim.ClaimSource.GeneratedClaim generated ->
                new PodClaimRecord(claim.name(), generated.claim(), generated.template(), false, claim.containers());
            case PodClaim.ClaimSource.NoClaimNeeded none ->
                new PodClaimRecord(claim.name(), null, none.template(), true, claim.containers());
        };
    }

    private static PodClaim from(PodClaimRecord claim) {
        String template = claim.getTemplate().orElse("");
        if (claim.getNotNeeded()) {
            return new PodClaim(
                    claim.getName(), new PodClaim.ClaimSource.NoClaimNeeded(template), claim.getContainers());
        }
        PodClaim.ClaimSource source = claim.getClaim()
                .map(name -> template.isEmpty()
                        ? new PodClaim.ClaimSource.ClaimReference(name)
                        : new PodClaim.ClaimSource.GeneratedClaim(template, name))
                .orElseGet(() -> new PodClaim.ClaimSource.TemplateReference(template));
        return new PodClaim(claim.getName(), source, claim.getContainers());
    }
}
