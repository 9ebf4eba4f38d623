package dev.claimstream.manifests;

import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.ResourceList;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiFunction;

/**
 * Computes the resource requests of a pod, by the rules of kube-scheduler.
 *
 * <p>The result is the sum of the containers, or the requests while an init container runs if these are larger; {@code spec.resources}
 * overrides it per resource; the overhead is added.
 */
final class PodRequestReader {
    private PodRequestReader() {}

    static ResourceList of(FieldMap spec, FieldMap status) {
        ContainerResizes resizes = ContainerResizes.of(status);
        ResourceList containers = ofContainers(spec, resizes::effectiveRequests);
        SortedMap<String, Long> amounts = new TreeMap<>(containers.amounts());
        amounts.putAll(requests(spec));
        return new ResourceList(amounts).plus(list(spec.get("overhead")));
    }

    /** Returns the part of {@code spec.resources} that the containers do not request, for the resources that pods may request. */
    static SortedMap<String, Long> spare(FieldMap spec) {
        ResourceList containers = ofContainers(spec, (_, requests) -> requests);
        SortedMap<String, Long> spare = new TreeMap<>();
        requests(spec).forEach((resource, amount) -> {
            if (ResourceList.isForPods(resource)) {
                spare.put(resource, Math.max(0, amount - containers.amount(resource)));
            }
        });
        return spare;
    }

    /** Computes the requests of the containers. Restartable init containers keep running beside all containers after them. */
    private static ResourceList ofContainers(FieldMap spec, BiFunction<FieldMap, ResourceList, ResourceList> taken) {
        ResourceList concurrent = ResourceList.none();
        ResourceList most = ResourceList.none();
        for (ManifestField each : spec.get("initContainers").items()) {
            FieldMap container = each.fieldsOrEmpty();
            ResourceList requests = new ResourceList(requests(container));
            if (container.get("restartPolicy").text().equals("Always")) {
                concurrent = concurrent.plus(taken.apply(container, requests));
                most = most.max(concurrent);
            } else {
                most = most.max(concurrent.plus(requests));
            }
        }
        ResourceList together = concurrent;
        for (ManifestField each : spec.get("containers").items()) {
            FieldMap container = each.fieldsOrEmpty();
            together = together.plus(taken.apply(container, new ResourceList(requests(container))));
        }
        return most.max(together);
    }

    /** Reads requests; a limit without a request is also the request, as the API server defaults it. */
    private static SortedMap<String, Long> requests(FieldMap container) {
        FieldMap resources = container.get("resources").fieldsOrEmpty();
        SortedMap<String, Long> amounts =
                new TreeMap<>(list(resources.get("limits")).amounts());
        for (Map.Entry<String, ManifestField> each :
                resources.get("requests").values().entrySet()) {
            amounts.put(each.getKey(), units(each.getKey(), each.getValue()));
        }
        return amounts;
    }

    /** Reads amounts by resource; an invalid quantity is reported and counts as zero. */
    static ResourceList list(ManifestField field) {
        SortedMap<String, Long> amounts = new TreeMap<>();
        field.values().forEach((resource, amount) -> amounts.put(resource, units(resource, amount)));
        return amounts.isEmpty() ? ResourceList.none() : new ResourceList(amounts);
    }

    private static long units(String resource, ManifestField field) {
        Optional<Quantity> amount = field.quantity();
        if (amount.filter(each -> each.signum() < 0).isPresent()) {
            field.invalid(
                    amount.get().toString(),
                    "must be greater than or equal to 0",
                    "write an amount that is not negative");
            return 0;
        }
        return amount.map(each -> ResourceList.units(resource, each)).orElse(0L);
    }
}
