package dev.claimstream.manifests;

import dev.claimstream.dra.ResourceList;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The containers of a pod whose resources are resized in place.
 *
 * <p>Until the resize is complete, a container counts with the maximum of its requested, allocated and actual resources. The requested
 * resources of an infeasible resize do not count.
 *
 * <p>Source: {@code determineEffectiveRequests} of {@code k8s.io/component-helpers/resource}.
 */
final class ContainerResizes {
    private final Map<String, FieldMap> containers = new HashMap<>();
    private final boolean isInfeasible;

    private ContainerResizes(boolean isInfeasible) {
        this.isInfeasible = isInfeasible;
    }

    /** Reads the resizes from the status of a pod. */
    static ContainerResizes of(FieldMap status) {
        boolean isInfeasible = status.get("conditions").items().stream()
                .map(ManifestField::fieldsOrEmpty)
                .filter(condition -> condition.get("type").text().equals("PodResizePending"))
                .findFirst()
                .filter(condition -> condition.get("reason").text().equals("Infeasible"))
                .isPresent();
        var resizes = new ContainerResizes(isInfeasible);
        for (String field : new String[] {"containerStatuses", "initContainerStatuses"}) {
            for (ManifestField each : status.get(field).items()) {
                FieldMap container = each.fieldsOrEmpty();
                resizes.containers.put(container.get("name").text(), container);
            }
        }
        return resizes;
    }

    /**
     * Returns the effective requests of a container.
     *
     * @param requests the requests in the spec
     */
    ResourceList effectiveRequests(FieldMap container, ResourceList requests) {
        if (containers.isEmpty()) {
            return requests;
        }
        Optional<FieldMap> status = Optional.ofNullable(
                        containers.get(container.get("name").text()))
                .filter(each -> each.get("resources").isPresent());
        return status.map(each -> (isInfeasible ? ResourceList.none() : requests)
                        .max(PodRequestReader.list(
                                each.get("resources").fieldsOrEmpty().get("requests")))
                        .max(PodRequestReader.list(each.get("allocatedResources"))))
                .orElse(requests);
    }
}
