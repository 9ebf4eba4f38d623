package dev.claimstream.kubernetes.controlplane;

import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeReader;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** A proxy in front of an API server that injects faults. It passes everything on until {@link #execute} sets a fault. */
public final class ApiFaultProxy implements AutoCloseable {
    private final ProgramSession session;

    ApiFaultProxy(ProgramSession session) {
        this.session = session;
    }

    /**
     * Counts since the start of the proxy.
     *
     * @param injected injected faults by kind
     * @param earlyRequests requests by verb and path that came before the end of the {@code Retry-After} of a 429
     */
    public record FaultCounts(SortedMap<String, Integer> injected, SortedMap<String, Integer> earlyRequests) {
        public FaultCounts {
            injected = Collections.unmodifiableSortedMap(new TreeMap<>(injected));
            earlyRequests = Collections.unmodifiableSortedMap(new TreeMap<>(earlyRequests));
        }

        private static FaultCounts of(Map<String, Tree> fields) {
            return new FaultCounts(numbers(fields.get("injected")), numbers(fields.get("early")));
        }

        private static SortedMap<String, Integer> numbers(@org.jspecify.annotations.Nullable Tree tree) {
            SortedMap<String, Integer> numbers = new TreeMap<>();
            if (tree instanceof Tree.Mapping mapping) {
                mapping.fields().forEach((name, value) -> {
                    if (value instanceof Tree.Numeral numeral) {
                        numbers.put(name, Integer.valueOf(numeral.literal()));
                    }
                });
            }
            return numbers;
        }
    }

    /**
     * Sets, changes or removes a fault.
     *
     * @param command as {@code control-plane faults -h} lists them, such as {@code too-many 0.1 2s}
     * @throws ControlPlaneException if there is no such command
     */
    public FaultCounts execute(String command) {
        String reply = session.request(command);
        if (TreeReader.json(reply) instanceof Tree.Mapping mapping
                && mapping.fields().containsKey("injected")) {
            return FaultCounts.of(mapping.fields());
        }
        throw new ControlPlaneException(reply);
    }

    /** Returns the counts without a change. */
    public FaultCounts counts() {
        return execute("counts");
    }

    @Override
    public void close() {
        session.close();
    }
}
