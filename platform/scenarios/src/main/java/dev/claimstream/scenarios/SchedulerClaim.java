package dev.claimstream.scenarios;

import dev.claimstream.dra.ObjectKey;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The claim that kube-scheduler makes by itself for the extended resources of a pod. It is in no API server before the pod is bound, so
 * nobody else can give it devices.
 *
 * @param key where it will stand; the API server adds letters to the name
 * @param resources what it is for
 */
public record SchedulerClaim(ObjectKey pod, ObjectKey key, List<Resource> resources, Place place) {
    public SchedulerClaim {
        resources = List.copyOf(resources);
    }

    /**
     * A resource that a class offers.
     *
     * @param name as containers ask for it
     */
    public record Resource(String name, String deviceClass) {
        @Override
        public String toString() {
            return "%s of class %s".formatted(name, deviceClass);
        }
    }

    /** Whether it would get its devices as the cluster stands. */
    public sealed interface Place {
        /** A word on it. */
        String text();

        /**
         * It would.
         *
         * @param node one on which it fits
         * @param nodes on how many it fits
         */
        record Fits(String node, int nodes) implements Place {
            @Override
            public String text() {
                return nodes == 1
                        ? "it would fit on " + node
                        : "it would fit on %d nodes, for example %s".formatted(nodes, node);
            }
        }

        /** A device plugin of this node offers all of it, so that no claim is made there, and it fits nowhere else. */
        record Plugin(String node) implements Place {
            @Override
            public String text() {
                return "on %s no claim is made: a device plugin offers it there".formatted(node);
            }
        }

        /** It would not, and why. */
        record Nowhere(String why) implements Place {
            @Override
            public String text() {
                return "it would not fit: " + why;
            }
        }
    }

    /** Whether the pod would find a node. */
    public boolean fits() {
        return !(place instanceof Place.Nowhere);
    }

    /** What is to be known of it, without its pod. */
    public String text() {
        return "kube-scheduler itself makes claim %s for %s, which is not served here; %s"
                .formatted(
                        key,
                        resources.stream().map(Resource::toString).collect(Collectors.joining(", ")),
                        place.text());
    }

    @Override
    public String toString() {
        return "pod %s: %s".formatted(pod, text());
    }
}
