package dev.claimstream.wire;

import dev.claimstream.allocation.cell.CellReport;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.router.RouterInput;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.CellReportRecord;
import dev.claimstream.schemas.ExplanationRecord;
import dev.claimstream.schemas.ItemAllocation;
import dev.claimstream.schemas.ItemReturn;
import dev.claimstream.schemas.NodeTransfer;
import dev.claimstream.schemas.NodeTransferRejection;
import dev.claimstream.schemas.PlacementRecord;
import dev.claimstream.schemas.RouterInputRecord;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Converts inputs of the router and reports of cells to and from records of {@code router.in}. */
public final class RouterInputCodec {
    private RouterInputCodec() {}

    /** Converts an accepted record of the intake to an input of the router. */
    public static RouterInputRecord to(CellInputRecord seen) {
        return RouterInputRecord.newBuilder()
                .setAt(seen.getAt())
                .setObservation(seen)
                .build();
    }

    /** Converts the placement of a node to an input of a router that is being rebuilt. */
    public static RouterInputRecord to(PlacementRecord placed, Instant at) {
        return RouterInputRecord.newBuilder()
                .setAt(at)
                .setRestoredPlacement(placed)
                .build();
    }

    /**
     * Converts a report of a cell to an input of the router.
     *
     * @param free the number of free devices in the cell
     */
    public static RouterInputRecord to(int cell, CellReport verdict, long free, Instant at) {
        return RouterInputRecord.newBuilder()
                .setAt(at)
                .setReport(report(CellReportRecord.newBuilder().setCell(cell).setFreeDevices(free), verdict, at))
                .build();
    }

    private static CellReportRecord report(CellReportRecord.Builder record, CellReport verdict, Instant at) {
        switch (verdict) {
            case CellReport.ItemAllocated served ->
                withItem(record, served.item(), served.attempt())
                        .setAllocated(new ItemAllocation(served.number(), served.claims()));
            case CellReport.ItemReturned back ->
                withItem(record, back.item(), back.attempt())
                        .setReturned(new ItemReturn(
                                back.number(), reason(back.item(), back.pending(), at)));
            case CellReport.ItemDeleted dropped ->
                withItem(record, dropped.item(), dropped.attempt()).setDeleted(true);
            case CellReport.ReasonChanged reasoned ->
                withItem(record, reasoned.item(), 0).setReasonChanged(reason(reasoned.item(), reasoned.pending(), at));
            case CellReport.OfferMade offer -> withItem(record, offer.item(), 0).setOffered(true);
            case CellReport.ClaimReleased freed -> record.setReleasedClaim(freed.claimUid());
            case CellReport.ProbeEcho echo -> record.setProbeEcho(echo.probe());
            case CellReport.NodeHandedOver handed ->
                record.setNodeTransfer(new NodeTransfer(
                        handed.node(),
                        handed.transfer(),
                        handed.content().stream()
                                .map(observation -> CellInputWriter.to(observation, at))
                                .toList()));
            case CellReport.NodeRetained kept ->
                record.setNodeTransferRejection(new NodeTransferRejection(kept.node(), kept.transfer()));
        }
        return record.build();
    }

    private static CellReportRecord.Builder withItem(CellReportRecord.Builder record, ItemId item, long attempt) {
        return record.setItem(DecisionCodec.to(item)).setAttempt(attempt);
    }

    static ExplanationRecord reason(
            ItemId item, Explanation.ExplanationDetail.Pending because, Instant at) {
        return ExplanationCodec.to(new Explanation(item, List.of(), 0, because), at);
    }

    /**
     * Returns the reason in an explanation record.
     *
     * @throws IllegalArgumentException if the record explains an allocation
     */
    static Explanation.ExplanationDetail.Pending reason(ExplanationRecord record) {
        if (ExplanationCodec.from(record).detail() instanceof Explanation.ExplanationDetail.Pending waits) {
            return waits;
        }
        throw new IllegalArgumentException("%s was returned, but its explanation says that it is allocated"
                .formatted(DecisionCodec.from(record.getItem())));
    }

    /**
     * Returns the input of a record; absent if the record contains only fields of a newer version.
     *
     * @throws IllegalArgumentException if a value is invalid; the message names the value
     */
    public static Optional<RouterInput> from(long offset, RouterInputRecord record) {
        return record.getObservation()
                .flatMap(RouterInputCodec::observation)
                .or(() -> record.getReport().flatMap(RouterInputCodec::report))
                .or(() -> record.getRestoredPlacement()
                        .map(placed ->
                                new RouterInput.RouterEvent.RestoredPlacement(placed.getNode(), placed.getCell())))
                .map(what -> new RouterInput(offset, record.getAt(), what));
    }

    private static Optional<RouterInput.RouterEvent> observation(CellInputRecord record) {
        return record.getRestoredDecision()
                .<RouterInput.RouterEvent>map(decision ->
                        new RouterInput.RouterEvent.RestoredDecision(decision.getCell(), DecisionCodec.from(decision)))
                .or(() -> CellInputReader.observation(record).map(RouterInput.RouterEvent.ObservationInput::new));
    }

    private static Optional<RouterInput.RouterEvent> report(CellReportRecord record) {
        return record.getItem()
                .map(DecisionCodec::from)
                .flatMap(item -> ofItem(record, item))
                .or(() -> record.getReleasedClaim().map(CellReport.ClaimReleased::new))
                .or(() -> record.getProbeEcho().map(CellReport.ProbeEcho::new))
                .or(() -> record.getNodeTransfer().map(RouterInputCodec::handover))
                .or(() -> record.getNodeTransferRejection().map(kept -> new CellReport.NodeRetained(kept.getNode(), kept.getTransfer())))
                .map(verdict -> new RouterInput.RouterEvent.ReportInput(record.getCell(), verdict, record.getFreeDevices()));
    }

    private static Optional<CellReport> ofItem(CellReportRecord record, ItemId item) {
        return record.getAllocated()
                .<CellReport>map(served ->
                        new CellReport.ItemAllocated(item, record.getAttempt(), served.getNumber(), served.getClaims()))
                .or(() -> record.getReturned()
                        .map(back -> new CellReport.ItemReturned(
                                item, record.getAttempt(), back.getNumber(), reason(back.getExplanation()))))
                .or(() -> record.getReasonChanged().map(why -> new CellReport.ReasonChanged(item, reason(why))))
                .or(() -> record.getDeleted()
                        ? Optional.of(new CellReport.ItemDeleted(item, record.getAttempt()))
                        : Optional.empty())
                .or(() -> record.getOffered() ? Optional.of(new CellReport.OfferMade(item)) : Optional.empty());
    }

    private static CellReport handover(NodeTransfer record) {
        List<Observation> content = record.getContent().stream()
                .flatMap(each -> CellInputReader.observation(each).stream())
                .toList();
        return new CellReport.NodeHandedOver(record.getNode(), record.getTransfer(), content);
    }
}
