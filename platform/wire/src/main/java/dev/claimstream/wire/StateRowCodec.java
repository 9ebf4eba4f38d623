package dev.claimstream.wire;

import dev.claimstream.allocation.cell.ClaimRow;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.LastList;
import dev.claimstream.allocation.cell.ObservedRow;
import dev.claimstream.allocation.cell.Rank;
import dev.claimstream.allocation.cell.Row;
import dev.claimstream.allocation.cell.SchedulingRow;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.allocation.cell.WorkBudgetRow;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceClaimTemplate;
import dev.claimstream.dra.ResourceSlice;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;

/** Converts rows of a cell's state to and from records of its changelog. */
public final class StateRowCodec {
    private StateRowCodec() {}

    /** Converts a row to a record. */
    public static dev.claimstream.schemas.StateRow to(Row row) {
        var record = dev.claimstream.schemas.StateRow.newBuilder();
        switch (row) {
            case ObservedRow.ObjectRow object -> stamped(record, object.stamp()).setObject(to(object));
            case ObservedRow.NodeLivenessRow heard ->
                stamped(record, heard.stamp())
                        .setHeard(new dev.claimstream.schemas.Liveness(
                                heard.node(), heard.silent() ? "silent" : "back", Instant.EPOCH));
            case ObservedRow.SourceRow source ->
                record.setSource(source.source())
                        .setEpoch(source.epoch())
                        .setVersion(source.last().version())
                        .setListing(new dev.claimstream.schemas.SourceRow(
                                source.kind().apiName(),
                                List.copyOf(source.syncedPartitions()),
                                source.last().epoch(),
                                source.stale()));
            case SchedulingRow.ItemRow item -> record.setItem(to(item));
            case ClaimRow.AllocationRow grant -> record.setGrant(to(grant));
            case ClaimRow.RejectionRow refused ->
                record.setRefused(new dev.claimstream.schemas.RefusedRow(
                        refused.claimUid(), refused.message(), refused.claimVersion()));
            case ClaimRow.DeallocationRow deallocation ->
                record.setDeallocation(new dev.claimstream.schemas.DeallocationRow(
                        deallocation.claimUid(),
                        deallocation.claim().namespace(),
                        deallocation.claim().name(),
                        deallocation.number(),
                        deallocation.claimVersion(),
                        DecisionCodec.to(deallocation.item()),
                        deallocation.podUid(),
                        deallocation.rejection().orElse(null)));
            case SchedulingRow.AvoidedNodeRow avoid ->
                record.setAvoid(new dev.claimstream.schemas.AvoidRow(
                        DecisionCodec.to(avoid.item()),
                        avoid.uid(),
                        avoid.node(),
                        avoid.until(),
                        avoid.claimVersion()));
            case ClaimRow.QuarantineRow cool ->
                record.setCool(new dev.claimstream.schemas.CoolRow(
                        cool.claim().namespace(),
                        cool.claim().name(),
                        cool.claimUid(),
                        ClaimCodec.to(cool.allocation()),
                        cool.until()));
            case Row.AlarmRow alarm -> record.setAlarm(AlarmCodec.to(alarm.alarm()));
            case SchedulingRow.LeaseRow lease ->
                record.setLease(new dev.claimstream.schemas.LeaseRow(
                        DecisionCodec.to(lease.item()),
                        lease.uid(),
                        lease.attempt(),
                        lease.isActive(),
                        lease.isOffered()));
            case Row.ProbeRow probe ->
                record.setProbe(new dev.claimstream.schemas.ProbeRow(
                        probe.id(), List.copyOf(probe.arrivedPartitions()), probe.partitions(), probe.slices()));
            case WorkBudgetRow.EvaluationRow evaluation -> record.setEvaluation(WorkRowCodec.to(evaluation));
            case WorkBudgetRow.IndexRow index ->
                record.setIndex(new dev.claimstream.schemas.IndexRow(
                        index.shape(), index.namespace(), index.sinceOffset(), index.counted()));
            case WorkBudgetRow.PreparationRow preparation ->
                record.setPreparation(new dev.claimstream.schemas.PreparationRow(
                        preparation.expressions(),
                        preparation.namespace(),
                        preparation.sinceOffset(),
                        preparation.compiled(),
                        preparation.checked()));
            case WorkBudgetRow.SliceChangesRow slices -> record.setDevicesChanged(slices.devices());
            case WorkBudgetRow.WorkRow work -> record.setWork(WorkRowCodec.to(work));
            case SchedulingRow.BacklogRow backlog -> record.setBacklog(WorkRowCodec.to(backlog));
            case WorkBudgetRow.BudgetRow budget ->
                record.setBudget(new dev.claimstream.schemas.BudgetRow(
                        budget.reserve(), budget.at(), budget.turn(), budget.slices()));
            case WorkBudgetRow.WorkAlarmRow alarm ->
                record.setWorkAlarm(new dev.claimstream.schemas.WorkAlarmRow(alarm.namespace(), alarm.at()));
            case Row.CountRow count ->
                record.setCount(
                        new dev.claimstream.schemas.CountRow(count.decisions(), count.allocations(), count.offset()));
            case SchedulingRow.RefreshRow refresh ->
                record.setRefresh(new dev.claimstream.schemas.RefreshRow(
                        refresh.beganAt(),
                        refresh.due(),
                        refresh.after().map(StateRowCodec::to).orElse(null),
                        refresh.slices(),
                        refresh.isOutdated(),
                        refresh.except().stream().map(DecisionCodec::to).toList()));
            case Row.SettingsRow settings -> record.setSettings(SettingsCodec.to(settings.settings()));
        }
        return record.build();
    }

    private static dev.claimstream.schemas.StateRow.Builder stamped(
            dev.claimstream.schemas.StateRow.Builder record, Stamp stamp) {
        return record.setSource(stamp.source())
                .setEpoch(stamp.epoch())
                .setVersion(stamp.version())
                .setWaitForConsumer(AllocationTimingCodec.to(stamp.timing()));
    }

    /**
     * Converts a record to a row.
     *
     * @throws IllegalArgumentException if no known field is set
     */
    public static Row from(dev.claimstream.schemas.StateRow record) {
        var stamp = new Stamp(
                record.getSource(),
                record.getEpoch(),
                record.getVersion(),
                AllocationTimingCodec.from(record.getWaitForConsumer()));
        return record.getObject()
                .<Row>map(object -> from(object, stamp))
                .or(() -> record.getHeard()
                        .map(heard -> new ObservedRow.NodeLivenessRow(
                                heard.getNode(), stamp, heard.getState().equals("silent"))))
                .or(() -> record.getListing().map(listing -> from(listing, stamp)))
                .or(() -> record.getItem().map(StateRowCodec::from))
                .or(() -> record.getGrant().map(StateRowCodec::from))
                .or(() -> record.getRefused()
                        .map(refused -> new ClaimRow.RejectionRow(
                                refused.getClaimUid(), refused.getMessage(), refused.getClaimVersion())))
                .or(() -> record.getDeallocation()
                        .map(deallocation -> new ClaimRow.DeallocationRow(
                                new ObjectKey(deallocation.getNamespace(), deallocation.getName()),
                                deallocation.getClaimUid(),
                                deallocation.getNumber(),
                                deallocation.getClaimVersion(),
                                DecisionCodec.from(deallocation.getItem()),
                                deallocation.getPodUid(),
                                deallocation.getRejection())))
                .or(() -> record.getAvoid()
                        .map(avoid -> new SchedulingRow.AvoidedNodeRow(
                                DecisionCodec.from(avoid.getItem()),
                                avoid.getUid(),
                                avoid.getNode(),
                                avoid.getUntil(),
                                avoid.getClaimVersion())))
                .or(() -> record.getCool()
                        .map(cool -> new ClaimRow.QuarantineRow(
                                new ObjectKey(cool.getNamespace(), cool.getName()),
                                cool.getClaimUid(),
                                ClaimCodec.from(cool.getAllocation()),
                                cool.getUntil())))
                .or(() -> record.getAlarm().map(alarm -> new Row.AlarmRow(AlarmCodec.from(alarm))))
                .or(() -> record.getLease()
                        .map(lease -> new SchedulingRow.LeaseRow(
                                DecisionCodec.from(lease.getItem()),
                                lease.getUid(),
                                lease.getAttempt(),
                                lease.getHere(),
                                lease.getOffered())))
                .or(() -> record.getProbe()
                        .map(probe -> new Row.ProbeRow(
                                probe.getId(),
                                new TreeSet<>(probe.getArrived()),
                                probe.getRecords(),
                                probe.getSlices())))
                .or(() -> record.getEvaluation().map(WorkRowCodec::from))
                .or(() -> record.getIndex()
                        .map(index -> new WorkBudgetRow.IndexRow(
                                index.getShape(), index.getPaidBy(), index.getSince(), index.getCounted())))
                .or(() -> record.getPreparation()
                        .map(preparation -> new WorkBudgetRow.PreparationRow(
                                preparation.getExpressions(),
                                preparation.getPaidBy(),
                                preparation.getSince(),
                                preparation.getCompiled(),
                                preparation.getChecked())))
                .or(() -> record.getDevicesChanged().map(WorkBudgetRow.SliceChangesRow::new))
                .or(() -> record.getWork().map(WorkRowCodec::from))
                .or(() -> record.getBacklog().map(WorkRowCodec::from))
                .or(() -> record.getBudget()
                        .map(budget -> new WorkBudgetRow.BudgetRow(
                                budget.getReserve(), budget.getAt(), budget.getTurn(), budget.getSlices())))
                .or(() -> record.getWorkAlarm()
                        .map(alarm -> new WorkBudgetRow.WorkAlarmRow(alarm.getNamespace(), alarm.getAt())))
                .or(() -> record.getCount()
                        .map(count -> new Row.CountRow(count.getDecisions(), count.getGrants(), count.getOffset())))
                .or(() -> record.getRefresh()
                        .map(refresh -> new SchedulingRow.RefreshRow(
                                refresh.getBegun(),
                                refresh.getDue(),
                                refresh.getAfter().map(StateRowCodec::from),
                                refresh.getSlices(),
                                refresh.getAgain(),
                                refresh.getExcept().stream()
                                        .map(DecisionCodec::from)
                                        .toList())))
                .or(() -> record.getSettings().map(settings -> new Row.SettingsRow(SettingsCodec.from(settings))))
                .orElseThrow(() -> new IllegalArgumentException("a state row of an unknown sort: " + record));
    }

    private static dev.claimstream.schemas.ObjectRow to(ObservedRow.ObjectRow row) {
        var record = dev.claimstream.schemas.ObjectRow.newBuilder()
                .setKind(row.kind().apiName())
                .setNamespace(row.object().namespace())
                .setName(row.object().name())
                .setUid(row.uid());
        row.content().ifPresent(content -> {
            switch (content) {
                case ResourceSlice slice -> record.setSlice(InventoryCodec.to(slice));
                case DeviceClass each -> record.setDeviceClass(InventoryCodec.to(each));
                case DeviceTaintRule rule -> record.setTaintRule(InventoryCodec.to(rule));
                case Node node -> record.setNode(InventoryCodec.to(node));
                case Namespace namespace -> record.setNamespaceObject(InventoryCodec.to(namespace));
                case ResourceClaim claim -> record.setClaim(ClaimCodec.to(claim));
                case ResourceClaimTemplate template -> record.setTemplate(ClaimCodec.to(template));
                case Pod pod -> record.setPod(ClaimCodec.to(pod));
                case PodGroup group -> record.setPodGroup(ClaimCodec.to(group));
            }
        });
        return record.build();
    }

    private static ObservedRow.ObjectRow from(dev.claimstream.schemas.ObjectRow record, Stamp stamp) {
        Kind kind = CellInputReader.kind(record.getKind());
        Optional<? extends ClusterObject> content = switch (kind) {
            case RESOURCE_SLICE -> record.getSlice().map(InventoryCodec::from);
            case DEVICE_CLASS -> record.getDeviceClass().map(InventoryCodec::from);
            case DEVICE_TAINT_RULE -> record.getTaintRule().map(InventoryCodec::from);
            case NODE -> record.getNode().map(InventoryCodec::from);
            case NAMESPACE -> record.getNamespaceObject().map(InventoryCodec::from);
            case RESOURCE_CLAIM -> record.getClaim().map(ClaimCodec::from);
            case RESOURCE_CLAIM_TEMPLATE -> record.getTemplate().map(ClaimCodec::from);
            case POD -> record.getPod().map(ClaimCodec::from);
            case POD_GROUP -> record.getPodGroup().map(ClaimCodec::from);
        };
        return new ObservedRow.ObjectRow(
                kind,
                new ObjectKey(record.getNamespace(), record.getName()),
                record.getUid(),
                stamp,
                content.map(ClusterObject.class::cast));
    }

    private static ObservedRow.SourceRow from(dev.claimstream.schemas.SourceRow record, Stamp stamp) {
        return new ObservedRow.SourceRow(
                CellInputReader.kind(record.getKind()),
                stamp.source(),
                stamp.epoch(),
                new TreeSet<>(record.getArrived()),
                new LastList(record.getListedEpoch(), stamp.version()),
                record.getStale());
    }

    private static dev.claimstream.schemas.ItemRow to(SchedulingRow.ItemRow row) {
        return new dev.claimstream.schemas.ItemRow(
                DecisionCodec.to(row.item()),
                row.uid(),
                row.rank().priority(),
                row.rank().created(),
                row.rank().sequence(),
                row.reason().map(Reason::name).orElse(null),
                row.message(),
                row.allocationsBefore(),
                row.earmark().orElse(null),
                row.thorough(),
                row.textHash());
    }

    private static SchedulingRow.ItemRow from(dev.claimstream.schemas.ItemRow record) {
        ItemId item = DecisionCodec.from(record.getItem());
        return new SchedulingRow.ItemRow(
                item,
                record.getUid(),
                new Rank(record.getPriority(), record.getCreated(), record.getSequence(), item),
                record.getReason().map(Reason::valueOf),
                record.getMessage(),
                record.getWaitingFrom(),
                record.getEarmark(),
                record.getThorough(),
                record.getTextHash());
    }

    private static dev.claimstream.schemas.RankRecord to(Rank rank) {
        return new dev.claimstream.schemas.RankRecord(
                rank.priority(), rank.created(), rank.sequence(), DecisionCodec.to(rank.item()));
    }

    private static Rank from(dev.claimstream.schemas.RankRecord record) {
        return new Rank(
                record.getPriority(), record.getCreated(), record.getSequence(), DecisionCodec.from(record.getItem()));
    }

    private static dev.claimstream.schemas.GrantRow to(ClaimRow.AllocationRow row) {
        return new dev.claimstream.schemas.GrantRow(
                row.claimUid(),
                row.claim().namespace(),
                row.claim().name(),
                row.number(),
                DecisionCodec.to(row.item()),
                row.node(),
                ClaimCodec.to(row.allocation()),
                ClaimCodec.consumers(row.reservedFor()),
                row.claimVersion(),
                row.commitState().name().toLowerCase(Locale.ROOT));
    }

    private static ClaimRow.AllocationRow from(dev.claimstream.schemas.GrantRow record) {
        return new ClaimRow.AllocationRow(
                new ObjectKey(record.getNamespace(), record.getName()),
                record.getClaimUid(),
                record.getNumber(),
                DecisionCodec.from(record.getItem()),
                record.getNode(),
                ClaimCodec.from(record.getAllocation()),
                ClaimCodec.consumersFrom(record.getReservedFor()),
                record.getClaimVersion(),
                ClaimRow.AllocationRow.CommitState.valueOf(record.getStanding().toUpperCase(Locale.ROOT)));
    }
}
