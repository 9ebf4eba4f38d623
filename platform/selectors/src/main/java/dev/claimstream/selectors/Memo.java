package dev.claimstream.selectors;

import dev.claimstream.dra.Selector.Match;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The answers of one selector by what it read. Bounded by starting over when full: that costs evaluations, never another answer.
 */
final class Memo {
    private final ConcurrentHashMap<List<Object>, Match> answers = new ConcurrentHashMap<>();
    private final int entriesMax;

    Memo(int entriesMax) {
        this.entriesMax = entriesMax;
    }

    Match get(List<Object> key, Supplier<Match> evaluation) {
        Match known = answers.get(key);
        if (known != null) {
            return known;
        }
        Match answer = evaluation.get();
        if (answers.size() >= entriesMax) {
            answers.clear();
        }
        answers.put(key, answer);
        return answer;
    }

    int size() {
        return answers.size();
    }
}
