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
final class Resizes {
    private final Map<String, Fields> containers = new HashMap<>();
    private final boolean isInfeasible;

    private Resizes(boolean isInfeasible) {
        this.isInfeasible = isInfeasible;
    }

    /** Reads the resizes from the status of a pod. */
    static Resizes of(Fields status) {
        boolean isInfeasible = status.get("conditions").items().stream()
                .map(Field::fieldsOrNone)
                .filter(condition -> condition.get("type").text().equals("PodResizePending"))
                .findFirst()
                .filter(condition -> condition.get("reason").text().equals("Infeasible"))
                .isPresent();
        var resizes = new Resizes(isInfeasible);
        for (String field : new String[] {"containerStatuses", "initContainerStatuses"}) {
            for (Field each : status.get(field).items()) {
                Fields container = each.fieldsOrNone();
                resizes.containers.put(container.get("name").text(), container);
            }
        }
        return resizes;
    }

    /**
     * Returns the effective requests of a container.
     *
     * @param asked the requests in the spec
     */
    ResourceList taken(Fields container, ResourceList asked) {
        if (containers.isEmpty()) {
            return asked;
        }
        Optional<Fields> status = Optional.ofNullable(
                        containers.get(container.get("name").text()))
                .filter(each -> each.get("resources").isPresent());
        return status.map(each -> (isInfeasible ? ResourceList.none() : asked)
                        .max(PodRequests.list(
                                each.get("resources").fieldsOrNone().get("requests")))
                        .max(PodRequests.list(each.get("allocatedResources"))))
                .orElse(asked);
    }
}
