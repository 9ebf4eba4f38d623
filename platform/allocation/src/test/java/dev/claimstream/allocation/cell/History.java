package dev.claimstream.allocation.cell;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** A sequence of observations, with transformations that a cell must tolerate. */
record History(List<Observation> observations) {
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    History {
        observations = List.copyOf(observations);
    }

    /** Converts the history to cell inputs, one per second. */
    List<Input> inputs() {
        return IntStream.range(0, observations.size())
                .mapToObj(i -> new Input(i, START.plusSeconds(i), observations.get(i)))
                .toList();
    }

    int size() {
        return observations.size();
    }

    /** Minimizes a failing history: removes parts, larger ones first, while the failure remains. */
    History shrink(Predicate<History> fails) {
        List<Observation> left = new ArrayList<>(observations);
        for (int part = left.size() / 2; part >= 1; part /= 2) {
            for (int from = 0; from < left.size(); ) {
                List<Observation> fewer = new ArrayList<>(left.subList(0, from));
                fewer.addAll(left.subList(Math.min(from + part, left.size()), left.size()));
                if (fails.test(new History(fewer))) {
                    left = fewer;
                } else {
                    from += part;
                }
            }
        }
        return new History(left);
    }

    /** A pseudo-random number that depends only on the observation, so that shrinking keeps the transformation. */
    private static int pseudoRandom(Observation observation, long seed) {
        return new Random(observation.toString().hashCode() ^ seed).nextInt(1 << 20);
    }

    /** Repeats about every third versioned observation, at most fifty positions later. */
    History withRepetitions(long seed) {
        SortedMap<Integer, List<Observation>> echoes = new TreeMap<>();
        List<Observation> all = new ArrayList<>();
        for (int i = 0; i < observations.size(); i++) {
            Observation each = observations.get(i);
            all.add(each);
            all.addAll(echoes.getOrDefault(i, List.of()));
            int chance = pseudoRandom(each, seed);
            if (isVersioned(each) && chance % 3 == 0) {
                echoes.computeIfAbsent(i + 1 + chance / 3 % 50, place -> new ArrayList<>())
                        .add(each);
            }
        }
        echoes.tailMap(observations.size()).values().forEach(all::addAll);
        return new History(all);
    }

    /** Whether an observation has a version or a number, so that a repetition is recognized. */
    private static boolean isVersioned(Observation observation) {
        return switch (observation) {
            case Observation.ObjectUpserted upserted -> true;
            case Observation.ObjectDeleted deleted -> true;
            case Observation.KindSynced synced -> true;
            case Observation.KindStale stale -> true;
            case Observation.NodeLiveness liveness -> true;
            case Observation.CommitOutcome outcome -> true;
            case Observation.ItemAssigned assigned -> true;
            case Observation.OfferDeclined declined -> true;
            case Observation.NodeHandover handover -> true;
            case Observation.SettingsChanged configured -> false;
            case Observation.DecisionRestored restored -> false;
            case Observation.Probe probe -> false;
            case Observation.Tick tick -> false;
            case Observation.WorkSliceDue _ -> false;
        };
    }

    /**
     * Reorders the history. No observation crosses the end of a list or another observation without a subject.
     *
     * @param keepsSubjects whether observations of one object keep their order
     */
    History shuffle(long seed, boolean keepsSubjects) {
        List<Observation> shuffled = new ArrayList<>();
        List<PositionedObservation> open = new ArrayList<>();
        SortedMap<String, Integer> latest = new TreeMap<>();
        for (Observation each : observations) {
            String subject = subject(each);
            if (subject.isEmpty()) {
                drain(open, shuffled);
                latest.clear();
                shuffled.add(each);
            } else {
                int position = pseudoRandom(each, seed);
                open.add(new PositionedObservation(
                        keepsSubjects ? latest.merge(subject, position, Math::max) : position, each));
            }
        }
        drain(open, shuffled);
        return new History(shuffled);
    }

    private record PositionedObservation(int position, Observation observation) {}

    private static void drain(List<PositionedObservation> open, List<Observation> into) {
        open.sort(Comparator.comparingInt(PositionedObservation::position));
        open.forEach(each -> into.add(each.observation));
        open.clear();
    }

    /** Compacts the history like a topic: keeps the last record of each subject. */
    History compact() {
        SortedMap<String, Observation> last = new TreeMap<>();
        List<Observation> kept = new ArrayList<>();
        for (Observation each : observations.reversed()) {
            String subject = subject(each);
            if (subject.isEmpty() || last.putIfAbsent(subject, each) == null) {
                kept.add(each);
            }
        }
        return new History(kept.reversed());
    }

    /** The key of the object that an observation is about; empty for observations that keep their position. */
    private static String subject(Observation observation) {
        return switch (observation) {
            case Observation.ObjectUpserted upserted ->
                upserted.object().kind() + "/" + upserted.object().key();
            case Observation.ObjectDeleted deleted -> deleted.kind() + "/" + deleted.key();
            case Observation.NodeLiveness liveness -> "node-liveness/" + liveness.node();
            case Observation.CommitOutcome outcome -> "carried/" + outcome.claimUid();
            case Observation.KindSynced synced -> "";
            case Observation.KindStale stale -> "";
            case Observation.ItemAssigned assigned -> "";
            case Observation.OfferDeclined declined -> "";
            case Observation.NodeHandover handover -> "";
            case Observation.SettingsChanged configured -> "";
            case Observation.DecisionRestored restored -> "";
            case Observation.Probe probe -> "";
            case Observation.Tick tick -> "";
            case Observation.WorkSliceDue _ -> "";
        };
    }

    /** Formats the history, one line per observation, without default values. */
    String text() {
        var text = new StringBuilder();
        for (int i = 0; i < observations.size(); i++) {
            text.append(i).append(' ').append(observations.get(i)).append('\n');
        }
        return text.toString()
                .replaceAll("(, )?\\w+=(\\[]|\\{}|Unset\\[]|false|Optional\\.empty)", "")
                .replaceAll("Optional\\[", "[");
    }
}
