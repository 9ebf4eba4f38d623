package dev.claimstream.kubernetes.controlplane;

import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeReader;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** A proxy in front of an API server that injects faults. It passes everything on until {@link #tell} sets a fault. */
public final class ApiFaults implements AutoCloseable {
    private final Conversation conversation;

    ApiFaults(Conversation conversation) {
        this.conversation = conversation;
    }

    /**
     * Counts since the start of the proxy.
     *
     * @param injected injected faults by kind
     * @param early requests by verb and path that came before the end of the {@code Retry-After} of a 429
     */
    public record Counts(SortedMap<String, Integer> injected, SortedMap<String, Integer> early) {
        public Counts {
            injected = Collections.unmodifiableSortedMap(new TreeMap<>(injected));
            early = Collections.unmodifiableSortedMap(new TreeMap<>(early));
        }

        private static Counts of(Map<String, Tree> said) {
            return new Counts(numbers(said.get("injected")), numbers(said.get("early")));
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
    public Counts tell(String command) {
        String said = conversation.ask(command);
        if (TreeReader.json(said) instanceof Tree.Mapping mapping
                && mapping.fields().containsKey("injected")) {
            return Counts.of(mapping.fields());
        }
        throw new ControlPlaneException(said);
    }

    /** Returns the counts without a change. */
    public Counts counts() {
        return tell("counts");
    }

    @Override
    public void close() {
        conversation.close();
    }
}
