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
 * The claim that kube-scheduler makes for a pod whose containers ask for extended resources, where a class offers devices under their
 * names. Source: the scheduler's dynamic resources plugin, 1.37.
 */
public final class ExtendedResources {
    /** Before the name of a class, this is a resource that needs no other name in the class. */
    public static final String CLASS_PREFIX = "deviceclass.resource.kubernetes.io/";

    private final SortedMap<String, DeviceClass> byResource = new TreeMap<>();
    private final SortedMap<String, DeviceClass> byName = new TreeMap<>();

    /** Where two classes offer one resource, the newer counts, and of two that are as new the one whose name comes first. */
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

    /** Whether a resource is an extended one: its name has a domain, and that is not one of Kubernetes itself. */
    public static boolean isExtended(String resource) {
        return resource.startsWith(CLASS_PREFIX)
                || (resource.contains("/")
                        && !resource.contains("kubernetes.io/")
                        && !resource.startsWith("requests."));
    }

    /** The class whose devices serve a resource. */
    public Optional<DeviceClass> deviceClass(String resource) {
        return resource.startsWith(CLASS_PREFIX)
                ? Optional.ofNullable(byName.get(resource.substring(CLASS_PREFIX.length())))
                : Optional.ofNullable(byResource.get(resource));
    }

    /**
     * The claim of a pod on a node; none where nothing is to be claimed there. A resource that a device plugin of the node offers is
     * left to it.
     */
    public Optional<ResourceClaim> claim(Pod pod, Node node) {
        SortedSet<String> resources = new TreeSet<>();
        pod.containerResources().forEach(each -> resources.add(each.resource()));
        List<DeviceRequest> requests = new ArrayList<>();
        for (String resource : resources) {
            if (!node.isOfferedByPlugin(resource)) {
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

    /** Where the claim of a pod stands; in a cluster its name has some letters more. */
    public static ObjectKey claimKey(Pod pod) {
        return new ObjectKey(pod.meta().namespace(), pod.meta().name() + "-extended-resources");
    }

    /**
     * One request for each container that stays. Those that end take what a later one will have, and one request more is made for what
     * the neediest of them lacks.
     */
    private static List<DeviceRequest> requests(Pod pod, String resource, DeviceClass deviceClass) {
        List<ContainerResource> wanted = pod.containerResources().stream()
                .filter(each -> each.resource().equals(resource))
                .toList();
        Map<ContainerResource, Long> counts = new LinkedHashMap<>();
        Optional<ContainerResource> neediest = Optional.empty();
        long most = 0;
        for (ContainerResource each : wanted) {
            if (!each.ends()) {
                counts.put(each, each.count());
                continue;
            }
            long lacks = each.count() - reused(wanted, each);
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

    private static long reused(List<ContainerResource> wanted, ContainerResource ending) {
        return wanted.stream()
                .filter(each -> !each.ends() && each.container() >= ending.container())
                .mapToLong(ContainerResource::count)
                .sum();
    }

    private static DeviceRequest request(ContainerResource wanted, long count, DeviceClass deviceClass) {
        var spec = new RequestSpec(
                deviceClass.meta().name(), List.of(), AllocationMode.EXACT_COUNT, count, List.of(), new TreeMap<>());
        return new DeviceRequest.Exactly(
                "container-%d-request-%d".formatted(wanted.container(), wanted.place()), spec, Optional.empty());
    }
}
