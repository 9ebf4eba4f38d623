package dev.claimstream.wire;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.AllocationConfig;
import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.ClaimConfig;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.Consumer;
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
import java.util.List;
import java.util.TreeMap;

/** Converts claims, templates, allocations, pods and pod groups to and from Avro. */
final class ClaimWire {
    private ClaimWire() {}

    static dev.claimstream.schemas.ResourceClaim to(ResourceClaim claim) {
        return new dev.claimstream.schemas.ResourceClaim(
                MetaWire.to(claim.meta()),
                to(claim.spec()),
                claim.allocation().map(ClaimWire::to).orElse(null),
                consumers(claim.reservedFor()));
    }

    static ResourceClaim from(dev.claimstream.schemas.ResourceClaim claim) {
        return new ResourceClaim(
                MetaWire.from(claim.getMeta()),
                from(claim.getSpec()),
                claim.getAllocation().map(ClaimWire::from),
                consumersFrom(claim.getReservedFor()));
    }

    static dev.claimstream.schemas.ResourceClaimTemplate to(ResourceClaimTemplate template) {
        return new dev.claimstream.schemas.ResourceClaimTemplate(
                MetaWire.to(template.meta()),
                new TreeMap<>(template.claimLabels()),
                new TreeMap<>(template.claimAnnotations()),
                to(template.spec()));
    }

    static ResourceClaimTemplate from(dev.claimstream.schemas.ResourceClaimTemplate template) {
        return new ResourceClaimTemplate(
                MetaWire.from(template.getMeta()),
                new TreeMap<>(template.getClaimLabels()),
                new TreeMap<>(template.getClaimAnnotations()),
                from(template.getSpec()));
    }

    // ---- specifications

    private static dev.claimstream.schemas.ClaimSpec to(ClaimSpec spec) {
        return new dev.claimstream.schemas.ClaimSpec(
                spec.requests().stream().map(ClaimWire::to).toList(),
                spec.constraints().stream().map(ClaimWire::to).toList(),
                spec.config().stream()
                        .map(each ->
                                new dev.claimstream.schemas.ClaimConfig(each.requests(), MetaWire.to(each.opaque())))
                        .toList());
    }

    private static ClaimSpec from(dev.claimstream.schemas.ClaimSpec spec) {
        return new ClaimSpec(
                spec.getRequests().stream().map(ClaimWire::from).toList(),
                spec.getConstraints().stream().map(ClaimWire::from).toList(),
                spec.getConfig().stream()
                        .map(each -> new ClaimConfig(each.getRequests(), MetaWire.from(each.getOpaque())))
                        .toList());
    }

    private static dev.claimstream.schemas.DeviceRequest to(DeviceRequest request) {
        return switch (request) {
            case DeviceRequest.Exactly exactly ->
                new dev.claimstream.schemas.DeviceRequest(
                        exactly.name(),
                        new dev.claimstream.schemas.ExactDeviceRequest(
                                to(exactly.spec()), exactly.adminAccess().orElse(null)),
                        null);
            case DeviceRequest.FirstAvailable first ->
                new dev.claimstream.schemas.DeviceRequest(
                        first.name(),
                        null,
                        first.alternatives().stream()
                                .map(each -> new dev.claimstream.schemas.DeviceSubRequest(each.name(), to(each.spec())))
                                .toList());
            case DeviceRequest.Unsupported unsupported ->
                new dev.claimstream.schemas.DeviceRequest(unsupported.name(), null, null);
        };
    }

    private static DeviceRequest from(dev.claimstream.schemas.DeviceRequest request) {
        if (request.getExactly().isPresent()) {
            dev.claimstream.schemas.ExactDeviceRequest exactly =
                    request.getExactly().get();
            return new DeviceRequest.Exactly(request.getName(), from(exactly.getSpec()), exactly.getAdminAccess());
        }
        return request.getFirstAvailable()
                .<DeviceRequest>map(alternatives -> new DeviceRequest.FirstAvailable(
                        request.getName(),
                        alternatives.stream()
                                .map(each -> new DeviceRequest.Alternative(each.getName(), from(each.getSpec())))
                                .toList()))
                .orElse(new DeviceRequest.Unsupported(request.getName()));
    }

    private static dev.claimstream.schemas.RequestSpec to(RequestSpec spec) {
        return new dev.claimstream.schemas.RequestSpec(
                spec.deviceClassName(),
                spec.selectors(),
                spec.allocationMode().name(),
                spec.count(),
                spec.tolerations().stream().map(MetaWire::to).toList(),
                MetaWire.to(spec.capacity()),
                spec.derivedAttributes().stream()
                        .map(each -> new dev.claimstream.schemas.DerivedAttribute(each.name(), each.expression()))
                        .toList());
    }

    private static RequestSpec from(dev.claimstream.schemas.RequestSpec spec) {
        return new RequestSpec(
                Shared.TEXTS.of(spec.getDeviceClassName()),
                spec.getSelectors().stream().map(Shared.TEXTS::of).toList(),
                new AllocationMode(spec.getAllocationMode()),
                spec.getCount(),
                spec.getTolerations().stream().map(MetaWire::from).toList(),
                MetaWire.quantities(spec.getCapacity()),
                spec.getDerivedAttributes().stream()
                        .map(each -> new DerivedAttribute(each.getName(), each.getExpression()))
                        .toList());
    }

    private static dev.claimstream.schemas.DeviceConstraint to(DeviceConstraint constraint) {
        return switch (constraint) {
            case DeviceConstraint.MatchAttribute match ->
                new dev.claimstream.schemas.DeviceConstraint(match.requests(), match.attribute(), null);
            case DeviceConstraint.DistinctAttribute distinct ->
                new dev.claimstream.schemas.DeviceConstraint(distinct.requests(), null, distinct.attribute());
            case DeviceConstraint.Unsupported unsupported ->
                new dev.claimstream.schemas.DeviceConstraint(unsupported.requests(), null, null);
        };
    }

    private static DeviceConstraint from(dev.claimstream.schemas.DeviceConstraint constraint) {
        List<String> requests = constraint.getRequests();
        return constraint
                .getMatchAttribute()
                .<DeviceConstraint>map(attribute -> new DeviceConstraint.MatchAttribute(requests, attribute))
                .or(() -> constraint
                        .getDistinctAttribute()
                        .map(attribute -> new DeviceConstraint.DistinctAttribute(requests, attribute)))
                .orElse(new DeviceConstraint.Unsupported(requests));
    }

    // ---- allocations

    static dev.claimstream.schemas.Allocation to(Allocation allocation) {
        return new dev.claimstream.schemas.Allocation(
                allocation.results().stream().map(ClaimWire::to).toList(),
                allocation.config().stream()
                        .map(each -> new dev.claimstream.schemas.AllocationConfig(
                                each.source().apiName(), each.requests(), MetaWire.to(each.opaque())))
                        .toList(),
                allocation.nodeSelector().map(MetaWire::to).orElse(null),
                Timestamps.micros(allocation.allocationTimestamp()).orElse(null));
    }

    static Allocation from(dev.claimstream.schemas.Allocation allocation) {
        return new Allocation(
                allocation.getResults().stream().map(ClaimWire::from).toList(),
                allocation.getConfig().stream()
                        .map(each -> new AllocationConfig(
                                source(each.getSource()), each.getRequests(), MetaWire.from(each.getOpaque())))
                        .toList(),
                allocation.getNodeSelector().map(MetaWire::from),
                allocation.getAllocationTimestamp());
    }

    private static AllocationConfig.Source source(String name) {
        return name.equals(AllocationConfig.Source.FROM_CLASS.apiName())
                ? AllocationConfig.Source.FROM_CLASS
                : AllocationConfig.Source.FROM_CLAIM;
    }

    private static dev.claimstream.schemas.DeviceResult to(DeviceResult result) {
        return new dev.claimstream.schemas.DeviceResult(
                result.request(),
                to(result.device()),
                result.adminAccess(),
                result.tolerations().stream().map(MetaWire::to).toList(),
                result.bindingConditions(),
                result.bindingFailureConditions(),
                result.shareId().orElse(null),
                MetaWire.to(result.consumedCapacity()),
                result.skipNodeOperations());
    }

    private static DeviceResult from(dev.claimstream.schemas.DeviceResult result) {
        return new DeviceResult(
                result.getRequest(),
                from(result.getDevice()),
                result.getAdminAccess(),
                result.getTolerations().stream().map(MetaWire::from).toList(),
                result.getBindingConditions(),
                result.getBindingFailureConditions(),
                result.getShareId(),
                MetaWire.quantities(result.getConsumedCapacity()),
                result.getSkipNodeOperations());
    }

    static dev.claimstream.schemas.DeviceId to(DeviceId device) {
        return new dev.claimstream.schemas.DeviceId(device.driver(), device.pool(), device.device());
    }

    static DeviceId from(dev.claimstream.schemas.DeviceId device) {
        return new DeviceId(device.getDriver(), device.getPool(), device.getDevice());
    }

    static List<dev.claimstream.schemas.Consumer> consumers(List<Consumer> consumers) {
        return consumers.stream()
                .map(each ->
                        new dev.claimstream.schemas.Consumer(each.apiGroup(), each.resource(), each.name(), each.uid()))
                .toList();
    }

    static List<Consumer> consumersFrom(List<dev.claimstream.schemas.Consumer> consumers) {
        return consumers.stream()
                .map(each -> new Consumer(each.getApiGroup(), each.getResource(), each.getName(), each.getUid()))
                .toList();
    }

    // ---- pods

    static dev.claimstream.schemas.Pod to(Pod pod) {
        return new dev.claimstream.schemas.Pod(
                MetaWire.to(pod.meta()),
                pod.nodeName().orElse(null),
                new TreeMap<>(pod.nodeSelector()),
                pod.requiredAffinity().map(MetaWire::to).orElse(null),
                pod.tolerations().stream().map(MetaWire::to).toList(),
                pod.priority(),
                pod.resourceClaims().stream().map(ClaimWire::to).toList(),
                pod.finished(),
                pod.containerResources().stream().map(ClaimWire::to).toList(),
                new TreeMap<>(pod.requests().amounts()),
                pod.podGroup().orElse(null),
                new TreeMap<>(pod.spare()),
                pod.schedulingGates(),
                pod.topology().equals(PodTopology.none()) ? null : TopologyWire.to(pod.topology()),
                pod.preempts(),
                pod.phase());
    }

    static Pod from(dev.claimstream.schemas.Pod pod) {
        return new Pod(
                MetaWire.from(pod.getMeta()),
                pod.getNodeName(),
                new TreeMap<>(pod.getNodeSelector()),
                pod.getRequiredAffinity().map(MetaWire::from),
                pod.getTolerations().stream().map(MetaWire::from).toList(),
                pod.getPriority(),
                pod.getPreempts(),
                pod.getResourceClaims().stream().map(ClaimWire::from).toList(),
                pod.getContainerResources().stream().map(ClaimWire::from).toList(),
                new ResourceList(new TreeMap<>(pod.getRequests())),
                new TreeMap<>(pod.getSpare()),
                pod.getPodGroup(),
                pod.getSchedulingGates(),
                pod.getTopology().map(TopologyWire::from).orElseGet(PodTopology::none),
                pod.getFinished(),
                pod.getPhase());
    }

    static dev.claimstream.schemas.PodGroup to(PodGroup group) {
        return new dev.claimstream.schemas.PodGroup(
                MetaWire.to(group.meta()),
                group.resourceClaims().stream().map(ClaimWire::to).toList(),
                group.minCount());
    }

    static PodGroup from(dev.claimstream.schemas.PodGroup group) {
        return new PodGroup(
                MetaWire.from(group.getMeta()),
                group.getMinCount(),
                group.getResourceClaims().stream().map(ClaimWire::from).toList());
    }

    private static dev.claimstream.schemas.ContainerResource to(ContainerResource wanted) {
        return new dev.claimstream.schemas.ContainerResource(
                wanted.container(), wanted.place(), wanted.resource(), wanted.count(), wanted.ends());
    }

    private static ContainerResource from(dev.claimstream.schemas.ContainerResource wanted) {
        return new ContainerResource(
                wanted.getContainer(), wanted.getPlace(), wanted.getResource(), wanted.getCount(), wanted.getEnds());
    }

    private static dev.claimstream.schemas.PodClaim to(PodClaim claim) {
        return switch (claim.source()) {
            case PodClaim.Source.Named named ->
                new dev.claimstream.schemas.PodClaim(claim.name(), named.claim(), null, false, claim.containers());
            case PodClaim.Source.FromTemplate from ->
                new dev.claimstream.schemas.PodClaim(claim.name(), null, from.template(), false, claim.containers());
            case PodClaim.Source.Made made ->
                new dev.claimstream.schemas.PodClaim(
                        claim.name(), made.claim(), made.template(), false, claim.containers());
            case PodClaim.Source.NotNeeded none ->
                new dev.claimstream.schemas.PodClaim(claim.name(), null, none.template(), true, claim.containers());
        };
    }

    private static PodClaim from(dev.claimstream.schemas.PodClaim claim) {
        String template = claim.getTemplate().orElse("");
        if (claim.getNotNeeded()) {
            return new PodClaim(claim.getName(), new PodClaim.Source.NotNeeded(template), claim.getContainers());
        }
        PodClaim.Source source = claim.getClaim()
                .map(name ->
                        template.isEmpty() ? new PodClaim.Source.Named(name) : new PodClaim.Source.Made(template, name))
                .orElseGet(() -> new PodClaim.Source.FromTemplate(template));
        return new PodClaim(claim.getName(), source, claim.getContainers());
    }
}
