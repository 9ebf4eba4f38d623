package dev.claimstream.wire;

import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Rank;
import dev.claimstream.allocation.cell.SchedulingRow;
import dev.claimstream.allocation.cell.WorkBudgetRow;
import dev.claimstream.allocation.solver.ExpressionResult;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Derivation;
import dev.claimstream.dra.ReadKey;
import dev.claimstream.dra.Selector;
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

    static dev.claimstream.schemas.EvaluationRow to(WorkBudgetRow.EvaluationRow row) {
        ByteBuffer keys = ByteBuffer.allocate(2 * Long.BYTES * row.answers().size());
        Map<ExpressionResult, Integer> numbers = new LinkedHashMap<>();
        List<Integer> answers = new ArrayList<>();
        row.answers().forEach((key, answer) -> {
            keys.putLong(key.high()).putLong(key.low());
            answers.add(numbers.computeIfAbsent(answer, _ -> numbers.size()));
        });
        return new dev.claimstream.schemas.EvaluationRow(
                row.expression(),
                row.part(),
                row.namespace(),
                row.sinceOffset(),
                keys.flip(),
                answers,
                numbers.keySet().stream().map(WorkRowCodec::to).toList());
    }

    static WorkBudgetRow.EvaluationRow from(dev.claimstream.schemas.EvaluationRow record) {
        ByteBuffer keys = record.getKeys().duplicate();
        List<ExpressionResult> results =
                record.getResults().stream().map(WorkRowCodec::from).toList();
        var answers = new TreeMap<ReadKey, ExpressionResult>();
        record.getAnswers()
                .forEach(number -> answers.put(new ReadKey(keys.getLong(), keys.getLong()), results.get(number)));
        return new WorkBudgetRow.EvaluationRow(
                record.getExpression(), record.getPart(), record.getPaidBy(), record.getSince(), answers);
    }

    private static dev.claimstream.schemas.EvaluationResult to(ExpressionResult answer) {
        var result = dev.claimstream.schemas.EvaluationResult.newBuilder();
        switch (answer) {
            case ExpressionResult.MatchResult(Selector.Match.SelectorMatch _) -> result.setMatched(true);
            case ExpressionResult.MatchResult(Selector.Match.SelectorMismatch _) -> result.setMatched(false);
            case ExpressionResult.MatchResult(Selector.Match.SelectorError(var message)) -> result.setFailed(message);
            case ExpressionResult.DerivationResult(Derivation.DerivationOutcome.DerivedAttributeValue(var value)) ->
                result.setValue(InventoryCodec.to(value));
            case ExpressionResult.DerivationResult(
                    Derivation.DerivationOutcome.DerivationError(var message, var isCompilation)) ->
                result.setFailed(message).setDerived(true).setCompilation(isCompilation);
        }
        return result.build();
    }

    private static ExpressionResult from(dev.claimstream.schemas.EvaluationResult result) {
        return result.getMatched()
                .<ExpressionResult>map(matched ->
                        new ExpressionResult.MatchResult(matched ? Selector.Match.MATCH : Selector.Match.MISMATCH))
                .or(() -> result.getValue()
                        .map(value -> new ExpressionResult.DerivationResult(
                                new Derivation.DerivationOutcome.DerivedAttributeValue(InventoryCodec.from(value)))))
                .or(() -> result.getFailed()
                        .map(message -> result.getDerived()
                                ? new ExpressionResult.DerivationResult(
                                        new Derivation.DerivationOutcome.DerivationError(
                                                message, result.getCompilation()))
                                : new ExpressionResult.MatchResult(new Selector.Match.SelectorError(message))))
                .orElseThrow(() -> new IllegalArgumentException("an evaluation without a result: " + result));
    }

    static dev.claimstream.schemas.WorkRow to(WorkBudgetRow.WorkRow row) {
        return new dev.claimstream.schemas.WorkRow(to(row.rank()), row.credit(), row.spent(), row.slices());
    }

    static WorkBudgetRow.WorkRow from(dev.claimstream.schemas.WorkRow record) {
        Rank rank = from(record.getRank());
        return new WorkBudgetRow.WorkRow(rank.item(), rank, record.getCredit(), record.getSpent(), record.getSlices());
    }

    static dev.claimstream.schemas.BacklogRow to(SchedulingRow.BacklogRow row) {
        return new dev.claimstream.schemas.BacklogRow(
                names(row.reasons()), row.after().map(WorkRowCodec::to).orElse(null), names(row.next()));
    }

    static SchedulingRow.BacklogRow from(dev.claimstream.schemas.BacklogRow record) {
        return new SchedulingRow.BacklogRow(
                reasons(record.getReasons()), record.getAfter().map(WorkRowCodec::from), reasons(record.getNext()));
    }

    private static List<String> names(Set<Reason> reasons) {
        return reasons.stream().map(Reason::name).toList();
    }

    private static Set<Reason> reasons(List<String> names) {
        Set<Reason> reasons = EnumSet.noneOf(Reason.class);
        names.forEach(name -> reasons.add(Reason.valueOf(name)));
        return reasons;
    }

    private static dev.claimstream.schemas.Rank to(Rank rank) {
        return new dev.claimstream.schemas.Rank(
                DecisionCodec.to(rank.item()), rank.priority(), rank.created(), rank.sequence());
    }

    private static Rank from(dev.claimstream.schemas.Rank record) {
        ItemId item = DecisionCodec.from(record.getItem());
        return new Rank(record.getPriority(), record.getCreated(), record.getSequence(), item);
    }
}
