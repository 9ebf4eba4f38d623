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
import dev.claimstream.schemas.AllocationRowRecord;
import dev.claimstream.schemas.AvoidedNodeRowRecord;
import dev.claimstream.schemas.BudgetRowRecord;
import dev.claimstream.schemas.CountRowRecord;
import dev.claimstream.schemas.DeallocationRowRecord;
import dev.claimstream.schemas.IndexRowRecord;
import dev.claimstream.schemas.ItemRowRecord;
import dev.claimstream.schemas.LeaseRowRecord;
import dev.claimstream.schemas.Liveness;
import dev.claimstream.schemas.ObjectRowRecord;
import dev.claimstream.schemas.PreparationRowRecord;
import dev.claimstream.schemas.ProbeRowRecord;
import dev.claimstream.schemas.QuarantineRowRecord;
import dev.claimstream.schemas.RankRecord;
import dev.claimstream.schemas.RefreshRowRecord;
import dev.claimstream.schemas.RejectionRowRecord;
import dev.claimstream.schemas.SourceRowRecord;
import dev.claimstream.schemas.StateRow;
import dev.claimstream.schemas.WorkAlarmRowRecord;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;

/** Converts rows of a cell's state to and from records of its changelog. */
public final class StateRowCodec {
    /**
     * The format of rows and their keys. Since format 2, long rows are compressed; since format 3, records have their present
     * names; since format 4, keys of rows have them too.
     */
    public static final int FORMAT = 4;

    private StateRowCodec() {}

    /** Converts a row to a record. */
    public static StateRow to(Row row) {
        var record = StateRow.newBuilder();
        switch (row) {
            case ObservedRow.ObjectRow object -> stamped(record, object.stamp()).setObject(to(object));
            case ObservedRow.NodeLivenessRow liveness ->
                stamped(record, liveness.stamp())
                        .setNodeLiveness(
                                new Liveness(liveness.node(), liveness.silent() ? "silent" : "alive", Instant.EPOCH));
            case ObservedRow.SourceRow source ->
                record.setSource(source.source())
                        .setEpoch(source.epoch())
                        .setVersion(source.last().version())
                        .setSourceSync(new SourceRowRecord(
                                source.kind().apiName(),
                                List.copyOf(source.syncedPartitions()),
                                source.last().epoch(),
                                source.stale()));
            case SchedulingRow.ItemRow item -> record.setItem(to(item));
            case ClaimRow.AllocationRow allocation -> record.setAllocation(to(allocation));
            case ClaimRow.RejectionRow rejection ->
                record.setRejection(
                        new RejectionRowRecord(rejection.claimUid(), rejection.message(), rejection.claimVersion()));
            case ClaimRow.DeallocationRow deallocation ->
                record.setDeallocation(new DeallocationRowRecord(
                        deallocation.claimUid(),
                        deallocation.claim().namespace(),
                        deallocation.claim().name(),
                        deallocation.number(),
                        deallocation.claimVersion(),
                        DecisionCodec.to(deallocation.item()),
                        deallocation.podUid(),
                        deallocation.rejection().orElse(null)));
            case SchedulingRow.AvoidedNodeRow avoidedNode ->
                record.setAvoidedNode(new AvoidedNodeRowRecord(
                        DecisionCodec.to(avoidedNode.item()),
                        avoidedNode.uid(),
                        avoidedNode.node(),
                        avoidedNode.until(),
                        avoidedNode.claimVersion()));
            case ClaimRow.QuarantineRow quarantine ->
                record.setQuarantine(new QuarantineRowRecord(
                        quarantine.claim().namespace(),
                        quarantine.claim().name(),
                        quarantine.claimUid(),
                        ClaimCodec.to(quarantine.allocation()),
                        quarantine.until()));
            case Row.AlarmRow alarm -> record.setAlarm(AlarmCodec.to(alarm.alarm()));
            case SchedulingRow.LeaseRow lease ->
                record.setLease(new LeaseRowRecord(
                        DecisionCodec.to(lease.item()),
                        lease.uid(),
                        lease.attempt(),
                        lease.isActive(),
                        lease.isOffered(),
                        lease.deallocatable()));
            case Row.ProbeRow probe ->
                record.setProbe(new ProbeRowRecord(
                        probe.id(), List.copyOf(probe.arrivedPartitions()), probe.partitions(), probe.slices()));
            case WorkBudgetRow.EvaluationRow evaluation -> record.setEvaluation(WorkRowCodec.to(evaluation));
            case WorkBudgetRow.IndexRow index ->
                record.setIndex(
                        new IndexRowRecord(index.shape(), index.namespace(), index.sinceOffset(), index.counted()));
            case WorkBudgetRow.PreparationRow preparation ->
                record.setPreparation(new PreparationRowRecord(
                        preparation.expressions(),
                        preparation.namespace(),
                        preparation.sinceOffset(),
                        preparation.compiled(),
                        preparation.checked()));
            case WorkBudgetRow.SliceChangesRow slices -> record.setDevicesChanged(slices.devices());
            case WorkBudgetRow.WorkRow work -> record.setWork(WorkRowCodec.to(work));
            case SchedulingRow.BacklogRow backlog -> record.setBacklog(WorkRowCodec.to(backlog));
            case WorkBudgetRow.BudgetRow budget ->
                record.setBudget(new BudgetRowRecord(budget.reserve(), budget.at(), budget.turn(), budget.slices()));
            case WorkBudgetRow.WorkAlarmRow alarm ->
                record.setWorkAlarm(new WorkAlarmRowRecord(alarm.namespace(), alarm.at()));
            case Row.CountRow count ->
                record.setCounters(new CountRowRecord(count.decisions(), count.allocations(), count.offset()));
            case SchedulingRow.RefreshRow refresh ->
                record.setRefresh(new RefreshRowRecord(
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

    private static StateRow.Builder stamped(StateRow.Builder record, Stamp stamp) {
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
    public static Row from(StateRow record) {
        var stamp = new Stamp(
                record.getSource(),
                record.getEpoch(),
                record.getVersion(),
                AllocationTimingCodec.from(record.getWaitForConsumer()));
        return record.getObject()
                .<Row>map(object -> from(object, stamp))
                .or(() -> record.getNodeLiveness()
                        .map(liveness -> new ObservedRow.NodeLivenessRow(
                                liveness.getNode(), stamp, liveness.getState().equals("silent"))))
                .or(() -> record.getSourceSync().map(sync -> from(sync, stamp)))
                .or(() -> record.getItem().map(StateRowCodec::from))
                .or(() -> record.getAllocation().map(StateRowCodec::from))
                .or(() -> record.getRejection()
                        .map(rejection -> new ClaimRow.RejectionRow(
                                rejection.getClaimUid(), rejection.getMessage(), rejection.getClaimVersion())))
                .or(() -> record.getDeallocation()
                        .map(deallocation -> new ClaimRow.DeallocationRow(
                                new ObjectKey(deallocation.getNamespace(), deallocation.getName()),
                                deallocation.getClaimUid(),
                                deallocation.getNumber(),
                                deallocation.getClaimVersion(),
                                DecisionCodec.from(deallocation.getItem()),
                                deallocation.getPodUid(),
                                deallocation.getRejection())))
                .or(() -> record.getAvoidedNode()
                        .map(avoidedNode -> new SchedulingRow.AvoidedNodeRow(
                                DecisionCodec.from(avoidedNode.getItem()),
                                avoidedNode.getUid(),
                                avoidedNode.getNode(),
                                avoidedNode.getUntil(),
                                avoidedNode.getClaimVersion())))
                .or(() -> record.getQuarantine()
                        .map(quarantine -> new ClaimRow.QuarantineRow(
                                new ObjectKey(quarantine.getNamespace(), quarantine.getName()),
                                quarantine.getClaimUid(),
                                ClaimCodec.from(quarantine.getAllocation()),
                                quarantine.getUntil())))
                .or(() -> record.getAlarm().map(alarm -> new Row.AlarmRow(AlarmCodec.from(alarm))))
                .or(() -> record.getLease()
                        .map(lease -> new SchedulingRow.LeaseRow(
                                DecisionCodec.from(lease.getItem()),
                                lease.getUid(),
                                lease.getAttempt(),
                                lease.getActive(),
                                lease.getOffered(),
                                lease.getDeallocatable())))
                .or(() -> record.getProbe()
                        .map(probe -> new Row.ProbeRow(
                                probe.getId(),
                                new TreeSet<>(probe.getArrived()),
                                probe.getRecords(),
                                probe.getSlices())))
                .or(() -> record.getEvaluation().map(WorkRowCodec::from))
                .or(() -> record.getIndex()
                        .map(index -> new WorkBudgetRow.IndexRow(
                                index.getShape(), index.getNamespace(), index.getSinceOffset(), index.getCounted())))
                .or(() -> record.getPreparation()
                        .map(preparation -> new WorkBudgetRow.PreparationRow(
                                preparation.getExpressions(),
                                preparation.getNamespace(),
                                preparation.getSinceOffset(),
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
                .or(() -> record.getCounters()
                        .map(count ->
                                new Row.CountRow(count.getDecisions(), count.getAllocations(), count.getOffset())))
                .or(() -> record.getRefresh()
                        .map(refresh -> new SchedulingRow.RefreshRow(
                                refresh.getBeganAt(),
                                refresh.getDue(),
                                refresh.getAfter().map(StateRowCodec::from),
                                refresh.getSlices(),
                                refresh.getOutdated(),
                                refresh.getExcept().stream()
                                        .map(DecisionCodec::from)
                                        .toList())))
                .or(() -> record.getSettings().map(settings -> new Row.SettingsRow(SettingsCodec.from(settings))))
                .orElseThrow(() -> new IllegalArgumentException("a state row of an unknown kind: " + record));
    }

    private static ObjectRowRecord to(ObservedRow.ObjectRow row) {
        var record = ObjectRowRecord.newBuilder()
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

    private static ObservedRow.ObjectRow from(ObjectRowRecord record, Stamp stamp) {
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

    private static ObservedRow.SourceRow from(SourceRowRecord record, Stamp stamp) {
        return new ObservedRow.SourceRow(
                CellInputReader.kind(record.getKind()),
                stamp.source(),
                stamp.epoch(),
                new TreeSet<>(record.getSyncedPartitions()),
                new LastList(record.getSyncedEpoch(), stamp.version()),
                record.getStale());
    }

    private static ItemRowRecord to(SchedulingRow.ItemRow row) {
        return new ItemRowRecord(
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

    private static SchedulingRow.ItemRow from(ItemRowRecord record) {
        ItemId item = DecisionCodec.from(record.getItem());
        var rank = new Rank(record.getPriority(), record.getCreated(), record.getSequence(), item);
        return SchedulingRow.ItemRow.builder(item, record.getUid(), rank)
                .reason(record.getReason().map(Reason::valueOf))
                .message(record.getMessage())
                .allocationsBefore(record.getAllocationsBefore())
                .earmark(record.getEarmark())
                .thorough(record.getThorough())
                .textHash(record.getTextHash())
                .build();
    }

    static RankRecord to(Rank rank) {
        return new RankRecord(rank.priority(), rank.created(), rank.sequence(), DecisionCodec.to(rank.item()));
    }

    static Rank from(RankRecord record) {
        return new Rank(
                record.getPriority(), record.getCreated(), record.getSequence(), DecisionCodec.from(record.getItem()));
    }

    private static AllocationRowRecord to(ClaimRow.AllocationRow row) {
        return new AllocationRowRecord(
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

    private static ClaimRow.AllocationRow from(AllocationRowRecord record) {
        return ClaimRow.AllocationRow.builder(
                        new ObjectKey(record.getNamespace(), record.getName()),
                        record.getClaimUid(),
                        DecisionCodec.from(record.getItem()),
                        ClaimCodec.from(record.getAllocation()))
                .number(record.getNumber())
                .node(record.getNode())
                .reservedFor(ClaimCodec.consumersFrom(record.getReservedFor()))
                .claimVersion(record.getClaimVersion())
                .commitState(ClaimRow.AllocationRow.CommitState.valueOf(
                        record.getCommitState().toUpperCase(Locale.ROOT)))
                .build();
    }
}
