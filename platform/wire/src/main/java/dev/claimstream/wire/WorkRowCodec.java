package dev.claimstream.wire;

import dev.claimstream.allocation.cell.Rank;
import dev.claimstream.allocation.cell.SchedulingRow;
import dev.claimstream.allocation.cell.WorkBudgetRow;
import dev.claimstream.allocation.solver.ExpressionResult;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Derivation;
import dev.claimstream.dra.ReadKey;
import dev.claimstream.dra.Selector;
import dev.claimstream.schemas.BacklogRowRecord;
import dev.claimstream.schemas.EvaluationResult;
import dev.claimstream.schemas.EvaluationRowRecord;
import dev.claimstream.schemas.WorkRowRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Converts rows of evaluations, unfinished work and backlogs to and from Avro. */
final class WorkRowCodec {
    private WorkRowCodec() {}

    static EvaluationRowRecord to(WorkBudgetRow.EvaluationRow row) {
        ByteBuffer keys = ByteBuffer.allocate(2 * Long.BYTES * row.answers().size());
        Map<ExpressionResult, Integer> numbers = new LinkedHashMap<>();
        List<Integer> answers = new ArrayList<>();
        row.answers().forEach((key, result) -> {
            keys.putLong(key.high()).putLong(key.low());
            answers.add(numbers.computeIfAbsent(result, _ -> numbers.size()));
        });
        return new EvaluationRowRecord(
                row.expression(),
                row.part(),
                row.namespace(),
                row.sinceOffset(),
                keys.flip(),
                answers,
                numbers.keySet().stream().map(WorkRowCodec::to).toList());
    }

    static WorkBudgetRow.EvaluationRow from(EvaluationRowRecord record) {
        ByteBuffer keys = record.getKeys().duplicate();
        List<ExpressionResult> results =
                record.getResults().stream().map(WorkRowCodec::from).toList();
        var answers = new TreeMap<ReadKey, ExpressionResult>();
        record.getAnswers()
                .forEach(number -> answers.put(new ReadKey(keys.getLong(), keys.getLong()), results.get(number)));
        return new WorkBudgetRow.EvaluationRow(
                record.getExpression(), record.getPart(), record.getNamespace(), record.getSinceOffset(), answers);
    }

    private static EvaluationResult to(ExpressionResult expressionResult) {
        var result = EvaluationResult.newBuilder();
        switch (expressionResult) {
            case ExpressionResult.MatchResult(Selector.Match.SelectorMatch _) -> result.setMatched(true);
            case ExpressionResult.MatchResult(Selector.Match.SelectorMismatch _) -> result.setMatched(false);
            case ExpressionResult.MatchResult(Selector.Match.SelectorError(var message)) -> result.setError(message);
            case ExpressionResult.DerivationResult(Derivation.DerivationOutcome.DerivedAttributeValue(var value)) ->
                result.setValue(InventoryCodec.to(value));
            case ExpressionResult.DerivationResult(
                    Derivation.DerivationOutcome.DerivationError(var message, var isCompilation)) ->
                result.setError(message).setDerived(true).setCompilation(isCompilation);
        }
        return result.build();
    }

    private static ExpressionResult from(EvaluationResult result) {
        return result.getMatched()
                .<ExpressionResult>map(matched ->
                        new ExpressionResult.MatchResult(matched ? Selector.Match.MATCH : Selector.Match.MISMATCH))
                .or(() -> result.getValue()
                        .map(value -> new ExpressionResult.DerivationResult(
                                new Derivation.DerivationOutcome.DerivedAttributeValue(InventoryCodec.from(value)))))
                .or(() -> result.getError()
                        .map(message -> result.getDerived()
                                ? new ExpressionResult.DerivationResult(
                                        new Derivation.DerivationOutcome.DerivationError(
                                                message, result.getCompilation()))
                                : new ExpressionResult.MatchResult(new Selector.Match.SelectorError(message))))
                .orElseThrow(() -> new IllegalArgumentException("an evaluation without a result: " + result));
    }

    static WorkRowRecord to(WorkBudgetRow.WorkRow row) {
        return new WorkRowRecord(StateRowCodec.to(row.rank()), row.credit(), row.spent(), row.slices());
    }

    static WorkBudgetRow.WorkRow from(WorkRowRecord record) {
        Rank rank = StateRowCodec.from(record.getRank());
        return new WorkBudgetRow.WorkRow(rank.item(), rank, record.getCredit(), record.getSpent(), record.getSlices());
    }

    static BacklogRowRecord to(SchedulingRow.BacklogRow row) {
        return new BacklogRowRecord(
                names(row.reasons()), row.after().map(StateRowCodec::to).orElse(null), names(row.next()));
    }

    static SchedulingRow.BacklogRow from(BacklogRowRecord record) {
        return new SchedulingRow.BacklogRow(
                reasons(record.getReasons()), record.getAfter().map(StateRowCodec::from), reasons(record.getNext()));
    }

    private static List<String> names(Set<Reason> reasons) {
        return reasons.stream().map(Reason::name).toList();
    }

    private static Set<Reason> reasons(List<String> names) {
        Set<Reason> reasons = EnumSet.noneOf(Reason.class);
        names.forEach(name -> reasons.add(Reason.valueOf(name)));
        return reasons;
    }
}
