package dev.claimstream.wire;

import dev.claimstream.allocation.cell.Alarm;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.Funnel;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.schemas.BlockingDeviceRecord;
import dev.claimstream.schemas.ExplanationRecord;
import dev.claimstream.schemas.FunnelStageRecord;
import dev.claimstream.schemas.ItemIdRecord;
import dev.claimstream.schemas.NearestNodeRecord;
import dev.claimstream.schemas.NodeChoiceRecord;
import dev.claimstream.schemas.ProbeAnswer;
import dev.claimstream.schemas.RequestFunnel;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Converts explanations, probe answers, refresh markers and alarms to and from records of {@code explanations.v1}. */
public final class ExplanationCodec {
    private static final String ALARM = "alarm";

    private ExplanationCodec() {}

    /** Converts an explanation to a record. */
    public static ExplanationRecord to(Explanation explanation, Instant at) {
        var record = ExplanationRecord.newBuilder()
                .setAt(at)
                .setItem(DecisionCodec.to(explanation.item()))
                .setClaims(
                        explanation.claims().stream().map(ObjectKey::toString).toList())
                .setSteps(explanation.steps());
        switch (explanation.detail()) {
            case Explanation.ExplanationDetail.Allocated allocated ->
                record.setNode(allocated.node()).setChoice(to(allocated.choice()));
            case Explanation.ExplanationDetail.Pending pending ->
                record.setReason(pending.diagnosis().reason().name())
                        .setMessage(pending.diagnosis().message())
                        .setNearestNode(pending.diagnosis()
                                .nearest()
                                .map(ExplanationCodec::to)
                                .orElse(null))
                        .setFunnels(pending.funnels().stream()
                                .map(ExplanationCodec::to)
                                .toList());
        }
        return record.build();
    }

    /**
     * Converts a record to an explanation.
     *
     * @throws IllegalArgumentException if an enum value is unknown
     */
    public static Explanation from(ExplanationRecord record) {
        Explanation.ExplanationDetail detail = record.getChoice()
                .<Explanation.ExplanationDetail>map(choice -> new Explanation.ExplanationDetail.Allocated(
                        record.getNode().orElse(""), from(choice)))
                .orElseGet(() -> new Explanation.ExplanationDetail.Pending(
                        new AllocationPlan.PendingDiagnosis(
                                Reason.valueOf(record.getReason().orElse("")),
                                record.getMessage(),
                                record.getNearestNode().map(ExplanationCodec::from)),
                        record.getFunnels().stream().map(ExplanationCodec::from).toList()));
        return new Explanation(
                DecisionCodec.from(record.getItem()),
                record.getClaims().stream().map(ExplanationCodec::key).toList(),
                record.getSteps(),
                detail);
    }

    /** Returns the item in the parts of a record key; absent if the key belongs to no item. */
    public static Optional<ItemId> item(List<String> parts) {
        if (parts.size() != 3) {
            return Optional.empty();
        }
        var key = new ObjectKey(parts.get(1), parts.get(2));
        return switch (parts.getFirst().toLowerCase(Locale.ROOT)) {
            case "pod" -> Optional.of(ItemId.pod(key));
            case "claim" -> Optional.of(ItemId.claim(key));
            default -> Optional.empty();
        };
    }

    /** Converts the answer to a probe to a record. */
    public static ExplanationRecord probeAnswerRecord(Output.ProbeAnswered answered, Instant at) {
        return ExplanationRecord.newBuilder()
                .setAt(at)
                .setItem(new ItemIdRecord("probe", "", answered.probe()))
                .setSteps(0)
                .setProbeAnswer(new ProbeAnswer(answered.probe(), answered.allocated(), answered.pending()))
                .build();
    }

    /** Converts a refresh marker to a record: all pending items of the cell are explained for a state of this time or later. */
    public static ExplanationRecord refreshMarker(Output.TextsRefreshed refreshed, int cell, Instant at) {
        return ExplanationRecord.newBuilder()
                .setAt(at)
                .setItem(new ItemIdRecord("cell", "", Integer.toString(cell)))
                .setSteps(0)
                .setRefreshBeganAt(refreshed.beganAt())
                .setExcept(refreshed.except().stream().map(DecisionCodec::to).toList())
                .build();
    }

    /** Returns the refresh marker of a record; absent if the record is none. */
    public static Optional<Output.TextsRefreshed> refreshMarker(ExplanationRecord record) {
        return record.getRefreshBeganAt()
                .map(begun -> new Output.TextsRefreshed(
                        begun,
                        record.getExcept().stream().map(DecisionCodec::from).toList()));
    }

    /** Converts an alarm about an allocated device to a record. */
    public static ExplanationRecord alarmRecord(Alarm alarm, Instant at) {
        return ExplanationRecord.newBuilder()
                .setAt(at)
                .setItem(new ItemIdRecord(ALARM, "", alarm.device().toString()))
                .setClaims(alarm.claims().stream().map(ObjectKey::toString).toList())
                .setSteps(0)
                .setAlarm(AlarmCodec.to(alarm))
                .build();
    }

    /** Returns the key parts of an alarm's record. */
    public static String[] alarmKey(Alarm alarm) {
        return new String[] {ALARM, "", alarm.device() + " " + alarm.type().text()};
    }

    /** Returns the alarm of a record; absent if the record is none. */
    public static Optional<Alarm> alarm(ExplanationRecord record) {
        return record.getAlarm().map(AlarmCodec::from);
    }

    /** Returns whether the key parts belong to an alarm. */
    public static boolean isAlarm(List<String> key) {
        return key.getFirst().equals(ALARM);
    }

    /** Returns whether the record explains an item, and is no probe answer, refresh marker or alarm. */
    public static boolean isOfItem(ExplanationRecord record) {
        return record.getProbeAnswer().isEmpty()
                && record.getRefreshBeganAt().isEmpty()
                && record.getAlarm().isEmpty();
    }

    /** Returns the probe answer of a record; absent if the record is none. */
    public static Optional<Output.ProbeAnswered> probeAnswer(ExplanationRecord record) {
        return record.getProbeAnswer()
                .map(each -> new Output.ProbeAnswered(each.getProbe(), each.getAllocated(), each.getPending()));
    }

    private static NodeChoiceRecord to(AllocationPlan.NodeChoice choice) {
        return new NodeChoiceRecord(
                choice.policy().text(),
                choice.feasibleNodes(),
                choice.rationale(),
                choice.secondNode().orElse(null),
                choice.secondRationale());
    }

    private static AllocationPlan.NodeChoice from(NodeChoiceRecord choice) {
        PlacementPolicy policy = Arrays.stream(PlacementPolicy.values())
                .filter(each -> each.text().equals(choice.getPolicy()))
                .findFirst()
                .orElseThrow(
                        () -> new IllegalArgumentException("policy %s is not known".formatted(choice.getPolicy())));
        return new AllocationPlan.NodeChoice(
                policy,
                choice.getFeasibleNodes(),
                choice.getRationale(),
                choice.getSecondNode(),
                choice.getSecondRationale());
    }

    private static NearestNodeRecord to(AllocationPlan.NearestNode miss) {
        return new NearestNodeRecord(
                miss.node(),
                miss.message(),
                miss.blockers().stream()
                        .map(each -> new BlockingDeviceRecord(
                                ClaimCodec.to(each.device()),
                                each.holders().stream()
                                        .map(holder -> holder.claim().toString())
                                        .toList(),
                                each.holders().stream()
                                        .map(AllocationPlan.DeviceHolder::state)
                                        .toList()))
                        .toList());
    }

    private static AllocationPlan.NearestNode from(NearestNodeRecord miss) {
        List<AllocationPlan.BlockingDevice> blockers = miss.getBlockingDevices().stream()
                .map(each -> new AllocationPlan.BlockingDevice(ClaimCodec.from(each.getDevice()), holders(each)))
                .toList();
        return new AllocationPlan.NearestNode(miss.getNode(), miss.getMessage(), blockers);
    }

    private static List<AllocationPlan.DeviceHolder> holders(BlockingDeviceRecord blocker) {
        List<String> states = blocker.getHolderStates();
        List<AllocationPlan.DeviceHolder> holders = new ArrayList<>();
        for (String holder : blocker.getHolders()) {
            holders.add(new AllocationPlan.DeviceHolder(
                    key(holder), holders.size() < states.size() ? states.get(holders.size()) : ""));
        }
        return holders;
    }

    private static RequestFunnel to(Funnel funnel) {
        return new RequestFunnel(
                funnel.claim().namespace(),
                funnel.claim().name(),
                funnel.request(),
                funnel.deviceClass(),
                funnel.requestedCount(),
                funnel.stages().stream()
                        .map(each -> new FunnelStageRecord(each.step().name(), each.detail(), each.remaining()))
                        .toList());
    }

    private static Funnel from(RequestFunnel funnel) {
        return new Funnel(
                new ObjectKey(funnel.getNamespace(), funnel.getClaim()),
                funnel.getRequest(),
                funnel.getDeviceClass(),
                funnel.getRequestedCount(),
                funnel.getStages().stream()
                        .map(each -> new Funnel.FunnelStage(
                                Funnel.FunnelStep.valueOf(each.getStep()), each.getDetail(), each.getRemaining()))
                        .toList());
    }

    static ObjectKey key(String text) {
        int slash = text.indexOf('/');
        return slash < 0 ? ObjectKey.cluster(text) : new ObjectKey(text.substring(0, slash), text.substring(slash + 1));
    }
}
