package dev.claimstream.dra;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Computes the claim that kube-scheduler creates for a pod that requests extended resources provided by device classes.
 *
 * <p>Source: the dynamic resources plugin of kube-scheduler 1.37.
 */
public final class ExtendedResources {
    /** Prefix of a class name that forms an implicit extended resource name of the class. */
    public static final String CLASS_PREFIX = "deviceclass.resource.kubernetes.io/";

    private final SortedMap<String, DeviceClass> byResource = new TreeMap<>();
    private final SortedMap<String, DeviceClass> byName = new TreeMap<>();

    /** Indexes classes by extended resource. Of two classes for one resource the newer one wins, then the first by name. */
    public ExtendedResources(Collection<DeviceClass> classes) {
        classes.forEach(each -> byName.put(each.meta().name(), each));
        for (DeviceClass each : byName.values()) {
            each.extendedResourceName()
                    .ifPresent(resource -> byResource.merge(
                            resource, each, (known, other) -> age(other).isAfter(age(known)) ? other : known));
        }
    }

    private static Instant age(DeviceClass deviceClass) {
        return deviceClass.meta().created().orElse(Instant.EPOCH);
    }

    /** Returns whether a resource is an extended resource: its name has a domain that does not belong to Kubernetes. */
    public static boolean isExtended(String resource) {
        return resource.startsWith(CLASS_PREFIX)
                || (resource.contains("/")
                        && !resource.contains("kubernetes.io/")
                        && !resource.startsWith("requests."));
    }

    /** Returns the class that provides a resource. */
    public Optional<DeviceClass> deviceClass(String resource) {
        return resource.startsWith(CLASS_PREFIX)
                ? Optional.ofNullable(byName.get(resource.substring(CLASS_PREFIX.length())))
                : Optional.ofNullable(byResource.get(resource));
    }

    /**
     * Returns the claim of a pod on a node; absent if no class provides a requested resource there.
     *
     * <p>Resources that a device plugin of the node advertises are not claimed.
     */
    public Optional<ResourceClaim> claim(Pod pod, Node node) {
        SortedSet<String> resources = new TreeSet<>();
        pod.containerResources().forEach(each -> resources.add(each.resource()));
        List<DeviceRequest> requests = new ArrayList<>();
        for (String resource : resources) {
            if (!node.isAdvertisedByDevicePlugin(resource)) {
                deviceClass(resource).ifPresent(each -> requests.addAll(requests(pod, resource, each)));
            }
        }
        if (requests.isEmpty()) {
            return Optional.empty();
        }
        requests.sort(Comparator.comparing(DeviceRequest::name));
        ObjectKey key = claimKey(pod);
        return Optional.of(new ResourceClaim(
                ObjectMeta.of(key.namespace(), key.name(), pod.meta().uid() + "-extended-resources"),
                new ClaimSpec(requests, List.of(), List.of()),
                Optional.empty(),
                List.of()));
    }

    /** Returns the key of the pod's claim. In a cluster the name has a generated suffix. */
    public static ObjectKey claimKey(Pod pod) {
        return new ObjectKey(pod.meta().namespace(), pod.meta().name() + "-extended-resources");
    }

    /**
     * Returns one request per container that keeps running.
     *
     * <p>Terminating init containers reuse the devices of later containers. One extra request covers the largest shortage among them.
     */
    private static List<DeviceRequest> requests(Pod pod, String resource, DeviceClass deviceClass) {
        List<ContainerResource> requests = pod.containerResources().stream()
                .filter(each -> each.resource().equals(resource))
                .toList();
        Map<ContainerResource, Long> counts = new LinkedHashMap<>();
        Optional<ContainerResource> neediest = Optional.empty();
        long most = 0;
        for (ContainerResource each : requests) {
            if (!each.ends()) {
                counts.put(each, each.count());
                continue;
            }
            long lacks = each.count() - reused(requests, each);
            if (lacks > most) {
                most = lacks;
                neediest = Optional.of(each);
            }
        }
        if (neediest.isPresent()) {
            counts.put(neediest.get(), most);
        }
        return counts.entrySet().stream()
                .map(each -> request(each.getKey(), each.getValue(), deviceClass))
                .toList();
    }

    private static long reused(List<ContainerResource> requests, ContainerResource ending) {
        return requests.stream()
                .filter(each -> !each.ends() && each.container() >= ending.container())
                .mapToLong(ContainerResource::count)
                .sum();
    }

    private static DeviceRequest request(ContainerResource request, long count, DeviceClass deviceClass) {
        var spec = new RequestSpec(
                deviceClass.meta().name(), List.of(), AllocationMode.EXACT_COUNT, count, List.of(), new TreeMap<>());
        return new DeviceRequest.Exactly(
                "container-%d-request-%d".formatted(request.container(), request.resourceIndex()),
                spec,
                Optional.empty());
    }
}
