package dev.claimstream.kubernetes.doctor;

import dev.claimstream.dra.Feature;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What was seen of a cluster.
 *
 * @param url of its API server
 * @param id the uid of its namespace {@code kube-system}, which no other cluster has
 * @param version as the server says it, such as {@code v1.36.4}
 * @param api whether {@code resource.k8s.io/v1} is served
 * @param user as whom it was looked
 * @param ahead the server's clock less ours; to a second, for that is how the server says it
 * @param gates what became of an object with a field of this gate; the mark is there where the server would have kept it
 * @param ours what the cluster says is ours
 * @param classes all device classes, each with its {@code extendedResourceName} where it has one
 * @param drivers of which there is a slice
 * @param given drivers of which claims of our classes have devices
 * @param policies all policies of {@code deploy/policies}
 */
public record ClusterFacts(
        String url,
        Seen<String> id,
        Seen<String> version,
        Seen<Boolean> api,
        String user,
        Seen<Duration> ahead,
        Map<Feature, Trial> gates,
        Seen<Ours> ours,
        Seen<SortedMap<String, Optional<String>>> classes,
        Seen<List<String>> drivers,
        Seen<List<String>> given,
        Map<Policy, PolicyFacts> policies,
        WriterFacts writer,
        Seen<List<Access>> watcher) {
    public ClusterFacts {
        gates = Collections.unmodifiableSortedMap(new TreeMap<>(gates));
        Map<Policy, PolicyFacts> all = new EnumMap<>(Policy.class);
        all.putAll(policies);
        policies = Collections.unmodifiableMap(all);
    }

    /** The ConfigMap {@code claimstream/claimstream-managed}. */
    public record Ours(List<String> drivers, List<String> classes, String writer) {
        public Ours {
            drivers = List.copyOf(drivers);
            classes = List.copyOf(classes);
        }
    }

    /**
     * A policy and what it was seen to do.
     *
     * @param failurePolicy of the policy
     * @param bindings that name it
     */
    public record PolicyFacts(Seen<String> failurePolicy, Seen<List<Binding>> bindings, List<Attempt> attempts) {
        public PolicyFacts {
            attempts = List.copyOf(attempts);
        }
    }

    /**
     * A binding of a policy.
     *
     * @param actions what is done about a violation; of no account where the policy changes objects
     */
    public record Binding(String name, List<String> actions) {
        public Binding {
            actions = List.copyOf(actions);
        }
    }

    /**
     * A request on which a policy shows whether it works.
     *
     * @param what is asked for, as the object of "refuses", "lets through" and the like
     */
    public record Attempt(String what, Expected expected, Trial trial) {}

    /** What has to become of a request. */
    public enum Expected {
        /** Refused, by this policy. */
        REFUSED,
        /** Not refused by it. */
        LET_THROUGH,
        /** Changed by it. */
        CHANGED,
        /** Left as it is. */
        UNCHANGED
    }

    /**
     * Whether a right is there.
     *
     * @param right in words, such as {@code patch resourceclaims/status}
     */
    public record Access(String right, boolean isAllowed) {}

    /**
     * What the writer may do.
     *
     * @param rights all but that to bind
     * @param binding the right to patch {@code resourceclaims/binding} in the whole cluster
     * @param write what became of an allocation that it wrote
     * @param watching the rights of the watcher, which the writer needs where one process does both
     */
    public record WriterFacts(
            Seen<List<Access>> rights, Seen<Boolean> binding, Trial write, Seen<List<Access>> watching) {}
}
