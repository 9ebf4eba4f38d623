package dev.claimstream.wire;

import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.LastList;
import dev.claimstream.allocation.cell.Rank;
import dev.claimstream.allocation.cell.Row;
import dev.claimstream.allocation.cell.Stamp;
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
public final class Rows {
    private Rows() {}

    /** Converts a row to a record. */
    public static dev.claimstream.schemas.StateRow to(Row row) {
        var record = dev.claimstream.schemas.StateRow.newBuilder();
        switch (row) {
            case Row.ObjectRow object -> stamped(record, object.stamp()).setObject(to(object));
            case Row.HeardRow heard ->
                stamped(record, heard.stamp())
                        .setHeard(new dev.claimstream.schemas.Liveness(
                                heard.node(), heard.silent() ? "silent" : "back", Instant.EPOCH));
            case Row.SourceRow source ->
                record.setSource(source.source())
                        .setEpoch(source.epoch())
                        .setVersion(source.last().version())
                        .setListing(new dev.claimstream.schemas.SourceRow(
                                source.kind().apiName(),
                                List.copyOf(source.arrived()),
                                source.last().epoch(),
                                source.stale()));
            case Row.ItemRow item -> record.setItem(to(item));
            case Row.GrantRow grant -> record.setGrant(to(grant));
            case Row.RefusedRow refused ->
                record.setRefused(new dev.claimstream.schemas.RefusedRow(
                        refused.claimUid(), refused.message(), refused.claimVersion()));
            case Row.DeallocationRow deallocation ->
                record.setDeallocation(new dev.claimstream.schemas.DeallocationRow(
                        deallocation.claimUid(),
                        deallocation.claim().namespace(),
                        deallocation.claim().name(),
                        deallocation.number(),
                        deallocation.claimVersion(),
                        Decisions.to(deallocation.item()),
                        deallocation.podUid(),
                        deallocation.rejection().orElse(null)));
            case Row.AvoidRow avoid ->
                record.setAvoid(new dev.claimstream.schemas.AvoidRow(
                        Decisions.to(avoid.item()), avoid.uid(), avoid.node(), avoid.until(), avoid.claimVersion()));
            case Row.CoolRow cool ->
                record.setCool(new dev.claimstream.schemas.CoolRow(
                        cool.claim().namespace(),
                        cool.claim().name(),
                        cool.claimUid(),
                        ClaimWire.to(cool.allocation()),
                        cool.until()));
            case Row.AlarmRow alarm -> record.setAlarm(Alarms.to(alarm.alarm()));
            case Row.LeaseRow lease ->
                record.setLease(new dev.claimstream.schemas.LeaseRow(
                        Decisions.to(lease.item()), lease.uid(), lease.attempt(), lease.here(), lease.offered()));
            case Row.ProbeRow probe ->
                record.setProbe(new dev.claimstream.schemas.ProbeRow(
                        probe.id(), List.copyOf(probe.arrived()), probe.partitions(), probe.slices()));
            case Row.EvaluationRow evaluation -> record.setEvaluation(WorkWire.to(evaluation));
            case Row.IndexRow index ->
                record.setIndex(new dev.claimstream.schemas.IndexRow(
                        index.shape(), index.namespace(), index.since(), index.counted()));
            case Row.PreparationRow preparation ->
                record.setPreparation(new dev.claimstream.schemas.PreparationRow(
                        preparation.expressions(),
                        preparation.namespace(),
                        preparation.since(),
                        preparation.compiled(),
                        preparation.checked()));
            case Row.SlicesRow slices -> record.setDevicesChanged(slices.devices());
            case Row.WorkRow work -> record.setWork(WorkWire.to(work));
            case Row.BacklogRow backlog -> record.setBacklog(WorkWire.to(backlog));
            case Row.BudgetRow budget ->
                record.setBudget(new dev.claimstream.schemas.BudgetRow(
                        budget.reserve(), budget.at(), budget.turn(), budget.slices()));
            case Row.WorkAlarmRow alarm ->
                record.setWorkAlarm(new dev.claimstream.schemas.WorkAlarmRow(alarm.namespace(), alarm.at()));
            case Row.CountRow count ->
                record.setCount(
                        new dev.claimstream.schemas.CountRow(count.decisions(), count.grants(), count.offset()));
            case Row.RefreshRow refresh ->
                record.setRefresh(new dev.claimstream.schemas.RefreshRow(
                        refresh.begun(),
                        refresh.due(),
                        refresh.after().map(Rows::to).orElse(null),
                        refresh.slices(),
                        refresh.again(),
                        refresh.except().stream().map(Decisions::to).toList()));
            case Row.SettingsRow settings -> record.setSettings(SettingsWire.to(settings.settings()));
        }
        return record.build();
    }

    private static dev.claimstream.schemas.StateRow.Builder stamped(
            dev.claimstream.schemas.StateRow.Builder record, Stamp stamp) {
        return record.setSource(stamp.source())
                .setEpoch(stamp.epoch())
                .setVersion(stamp.version())
                .setWaitForConsumer(Timings.to(stamp.timing()));
    }

    /**
     * Converts a record to a row.
     *
     * @throws IllegalArgumentException if no known field is set
     */
    public static Row from(dev.claimstream.schemas.StateRow record) {
        var stamp = new Stamp(
                record.getSource(), record.getEpoch(), record.getVersion(), Timings.from(record.getWaitForConsumer()));
        return record.getObject()
                .<Row>map(object -> from(object, stamp))
                .or(() -> record.getHeard()
                        .map(heard -> new Row.HeardRow(
                                heard.getNode(), stamp, heard.getState().equals("silent"))))
                .or(() -> record.getListing().map(listing -> from(listing, stamp)))
                .or(() -> record.getItem().map(Rows::from))
                .or(() -> record.getGrant().map(Rows::from))
                .or(() -> record.getRefused()
                        .map(refused -> new Row.RefusedRow(
                                refused.getClaimUid(), refused.getMessage(), refused.getClaimVersion())))
                .or(() -> record.getDeallocation()
                        .map(deallocation -> new Row.DeallocationRow(
                                new ObjectKey(deallocation.getNamespace(), deallocation.getName()),
                                deallocation.getClaimUid(),
                                deallocation.getNumber(),
                                deallocation.getClaimVersion(),
                                Decisions.from(deallocation.getItem()),
                                deallocation.getPodUid(),
                                deallocation.getRejection())))
                .or(() -> record.getAvoid()
                        .map(avoid -> new Row.AvoidRow(
                                Decisions.from(avoid.getItem()),
                                avoid.getUid(),
                                avoid.getNode(),
                                avoid.getUntil(),
                                avoid.getClaimVersion())))
                .or(() -> record.getCool()
                        .map(cool -> new Row.CoolRow(
                                new ObjectKey(cool.getNamespace(), cool.getName()),
                                cool.getClaimUid(),
                                ClaimWire.from(cool.getAllocation()),
                                cool.getUntil())))
                .or(() -> record.getAlarm().map(alarm -> new Row.AlarmRow(Alarms.from(alarm))))
                .or(() -> record.getLease()
                        .map(lease -> new Row.LeaseRow(
                                Decisions.from(lease.getItem()),
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
                .or(() -> record.getEvaluation().map(WorkWire::from))
                .or(() -> record.getIndex()
                        .map(index -> new Row.IndexRow(
                                index.getShape(), index.getPaidBy(), index.getSince(), index.getCounted())))
                .or(() -> record.getPreparation()
                        .map(preparation -> new Row.PreparationRow(
                                preparation.getExpressions(),
                                preparation.getPaidBy(),
                                preparation.getSince(),
                                preparation.getCompiled(),
                                preparation.getChecked())))
                .or(() -> record.getDevicesChanged().map(Row.SlicesRow::new))
                .or(() -> record.getWork().map(WorkWire::from))
                .or(() -> record.getBacklog().map(WorkWire::from))
                .or(() -> record.getBudget()
                        .map(budget -> new Row.BudgetRow(
                                budget.getReserve(), budget.getAt(), budget.getTurn(), budget.getSlices())))
                .or(() -> record.getWorkAlarm().map(alarm -> new Row.WorkAlarmRow(alarm.getNamespace(), alarm.getAt())))
                .or(() -> record.getCount()
                        .map(count -> new Row.CountRow(count.getDecisions(), count.getGrants(), count.getOffset())))
                .or(() -> record.getRefresh()
                        .map(refresh -> new Row.RefreshRow(
                                refresh.getBegun(),
                                refresh.getDue(),
                                refresh.getAfter().map(Rows::from),
                                refresh.getSlices(),
                                refresh.getAgain(),
                                refresh.getExcept().stream()
                                        .map(Decisions::from)
                                        .toList())))
                .or(() -> record.getSettings().map(settings -> new Row.SettingsRow(SettingsWire.from(settings))))
                .orElseThrow(() -> new IllegalArgumentException("a state row of an unknown sort: " + record));
    }

    private static dev.claimstream.schemas.ObjectRow to(Row.ObjectRow row) {
        var record = dev.claimstream.schemas.ObjectRow.newBuilder()
                .setKind(row.kind().apiName())
                .setNamespace(row.object().namespace())
                .setName(row.object().name())
                .setUid(row.uid());
        row.content().ifPresent(content -> {
            switch (content) {
                case ResourceSlice slice -> record.setSlice(InventoryWire.to(slice));
                case DeviceClass each -> record.setDeviceClass(InventoryWire.to(each));
                case DeviceTaintRule rule -> record.setTaintRule(InventoryWire.to(rule));
                case Node node -> record.setNode(InventoryWire.to(node));
                case Namespace namespace -> record.setNamespaceObject(InventoryWire.to(namespace));
                case ResourceClaim claim -> record.setClaim(ClaimWire.to(claim));
                case ResourceClaimTemplate template -> record.setTemplate(ClaimWire.to(template));
                case Pod pod -> record.setPod(ClaimWire.to(pod));
                case PodGroup group -> record.setPodGroup(ClaimWire.to(group));
            }
        });
        return record.build();
    }

    private static Row.ObjectRow from(dev.claimstream.schemas.ObjectRow record, Stamp stamp) {
        Kind kind = Inputs.kind(record.getKind());
        Optional<? extends ClusterObject> content = switch (kind) {
            case RESOURCE_SLICE -> record.getSlice().map(InventoryWire::from);
            case DEVICE_CLASS -> record.getDeviceClass().map(InventoryWire::from);
            case DEVICE_TAINT_RULE -> record.getTaintRule().map(InventoryWire::from);
            case NODE -> record.getNode().map(InventoryWire::from);
            case NAMESPACE -> record.getNamespaceObject().map(InventoryWire::from);
            case RESOURCE_CLAIM -> record.getClaim().map(ClaimWire::from);
            case RESOURCE_CLAIM_TEMPLATE -> record.getTemplate().map(ClaimWire::from);
            case POD -> record.getPod().map(ClaimWire::from);
            case POD_GROUP -> record.getPodGroup().map(ClaimWire::from);
        };
        return new Row.ObjectRow(
                kind,
                new ObjectKey(record.getNamespace(), record.getName()),
                record.getUid(),
                stamp,
                content.map(ClusterObject.class::cast));
    }

    private static Row.SourceRow from(dev.claimstream.schemas.SourceRow record, Stamp stamp) {
        return new Row.SourceRow(
                Inputs.kind(record.getKind()),
                stamp.source(),
                stamp.epoch(),
                new TreeSet<>(record.getArrived()),
                new LastList(record.getListedEpoch(), stamp.version()),
                record.getStale());
    }

    private static dev.claimstream.schemas.ItemRow to(Row.ItemRow row) {
        return new dev.claimstream.schemas.ItemRow(
                Decisions.to(row.item()),
                row.uid(),
                row.rank().priority(),
                row.rank().created(),
                row.rank().sequence(),
                row.reason().map(Reason::name).orElse(null),
                row.message(),
                row.waitingFrom(),
                row.earmark().orElse(null),
                row.thorough(),
                row.textHash());
    }

    private static Row.ItemRow from(dev.claimstream.schemas.ItemRow record) {
        ItemId item = Decisions.from(record.getItem());
        return new Row.ItemRow(
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
                rank.priority(), rank.created(), rank.sequence(), Decisions.to(rank.item()));
    }

    private static Rank from(dev.claimstream.schemas.RankRecord record) {
        return new Rank(
                record.getPriority(), record.getCreated(), record.getSequence(), Decisions.from(record.getItem()));
    }

    private static dev.claimstream.schemas.GrantRow to(Row.GrantRow row) {
        return new dev.claimstream.schemas.GrantRow(
                row.claimUid(),
                row.claim().namespace(),
                row.claim().name(),
                row.number(),
                Decisions.to(row.item()),
                row.node(),
                ClaimWire.to(row.allocation()),
                ClaimWire.consumers(row.reservedFor()),
                row.claimVersion(),
                row.standing().name().toLowerCase(Locale.ROOT));
    }

    private static Row.GrantRow from(dev.claimstream.schemas.GrantRow record) {
        return new Row.GrantRow(
                new ObjectKey(record.getNamespace(), record.getName()),
                record.getClaimUid(),
                record.getNumber(),
                Decisions.from(record.getItem()),
                record.getNode(),
                ClaimWire.from(record.getAllocation()),
                ClaimWire.consumersFrom(record.getReservedFor()),
                record.getClaimVersion(),
                Row.GrantRow.Standing.valueOf(record.getStanding().toUpperCase(Locale.ROOT)));
    }
}
