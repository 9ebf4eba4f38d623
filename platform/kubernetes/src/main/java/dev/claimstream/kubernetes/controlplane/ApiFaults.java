package dev.claimstream.kubernetes.controlplane;

import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeReader;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** What stands before an API server and does not pass everything on: none of it until it is told so. */
public final class ApiFaults implements AutoCloseable {
    private final Conversation conversation;

    ApiFaults(Conversation conversation) {
        this.conversation = conversation;
    }

    /**
     * What there was so far.
     *
     * @param injected how many of each fault
     * @param early how often something was asked for, by verb and path, before the time that an answer 429 had named
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
     * Changes what is passed on.
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

    /** Changes nothing. */
    public Counts counts() {
        return tell("counts");
    }

    @Override
    public void close() {
        conversation.close();
    }
}
