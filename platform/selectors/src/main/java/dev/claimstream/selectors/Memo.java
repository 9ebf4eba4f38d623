package dev.claimstream.selectors;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The answers of one expression by what it read. Bounded by starting over when full: that costs evaluations, never another answer.
 */
final class Memo<T> {
    private final ConcurrentHashMap<List<Object>, T> answers = new ConcurrentHashMap<>();
    private final int entriesMax;

    Memo(int entriesMax) {
        this.entriesMax = entriesMax;
    }

    T get(List<Object> key, Supplier<T> evaluation) {
        T known = answers.get(key);
        if (known != null) {
            return known;
        }
        T answer = evaluation.get();
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
