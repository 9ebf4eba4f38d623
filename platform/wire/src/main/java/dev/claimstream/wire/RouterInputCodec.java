package dev.claimstream.wire;

import dev.claimstream.allocation.cell.CellReport;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.router.RouterInput;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.CellReportRecord;
import dev.claimstream.schemas.DeallocationProposal;
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
    public static RouterInputRecord to(CellInputRecord observation) {
        return RouterInputRecord.newBuilder()
                .setAt(observation.getAt())
                .setObservation(observation)
                .build();
    }

    /** Converts the placement of a node to an input of a router that is being rebuilt. */
    public static RouterInputRecord to(PlacementRecord placement, Instant at) {
        return RouterInputRecord.newBuilder()
                .setAt(at)
                .setRestoredPlacement(placement)
                .build();
    }

    /**
     * Converts a report of a cell to an input of the router.
     *
     * @param free the number of free devices in the cell
     */
    public static RouterInputRecord to(int cell, CellReport report, long free, Instant at) {
        return RouterInputRecord.newBuilder()
                .setAt(at)
                .setReport(report(CellReportRecord.newBuilder().setCell(cell).setFreeDevices(free), report, at))
                .build();
    }

    private static CellReportRecord report(CellReportRecord.Builder record, CellReport report, Instant at) {
        switch (report) {
            case CellReport.ItemAllocated allocated ->
                withItem(record, allocated.item(), allocated.attempt())
                        .setAllocated(new ItemAllocation(allocated.number(), allocated.claims()));
            case CellReport.ItemReturned returned ->
                withItem(record, returned.item(), returned.attempt())
                        .setReturned(new ItemReturn(
                                returned.number(),
                                reason(returned.item(), returned.pending(), at),
                                returned.deallocatable()));
            case CellReport.DeallocationProposed proposed ->
                withItem(record, proposed.item(), proposed.attempt())
                        .setDeallocation(new DeallocationProposal(
                                proposed.number(),
                                proposed.decisions().stream()
                                        .map(decision -> DecisionCodec.to(decision, record.getCell(), at))
                                        .toList()));
            case CellReport.ItemDeleted deleted ->
                withItem(record, deleted.item(), deleted.attempt()).setDeleted(true);
            case CellReport.ReasonChanged changed ->
                withItem(record, changed.item(), 0).setReasonChanged(reason(changed.item(), changed.pending(), at));
            case CellReport.OfferMade offer ->
                withItem(record, offer.item(), 0).setOffered(true).setOfferDeallocates(offer.deallocates());
            case CellReport.ClaimReleased released -> record.setReleasedClaim(released.claimUid());
            case CellReport.ProbeEcho echo -> record.setProbeEcho(echo.probe());
            case CellReport.NodeTransferred transferred ->
                record.setNodeTransfer(new NodeTransfer(
                        transferred.node(),
                        transferred.transfer(),
                        transferred.content().stream()
                                .map(observation -> CellInputWriter.to(observation, at))
                                .toList()));
            case CellReport.NodeRetained retained ->
                record.setNodeTransferRejection(new NodeTransferRejection(retained.node(), retained.transfer()));
        }
        return record.build();
    }

    private static CellReportRecord.Builder withItem(CellReportRecord.Builder record, ItemId item, long attempt) {
        return record.setItem(DecisionCodec.to(item)).setAttempt(attempt);
    }

    static ExplanationRecord reason(ItemId item, Explanation.ExplanationDetail.Pending pending, Instant at) {
        return ExplanationCodec.to(new Explanation(item, List.of(), 0, pending), at);
    }

    /**
     * Returns the reason in an explanation record.
     *
     * @throws IllegalArgumentException if the record explains an allocation
     */
    static Explanation.ExplanationDetail.Pending reason(ExplanationRecord record) {
        if (ExplanationCodec.from(record).detail() instanceof Explanation.ExplanationDetail.Pending pending) {
            return pending;
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
                        .map(placement -> new RouterInput.RouterEvent.RestoredPlacement(
                                placement.getNode(), placement.getCell())))
                .map(event -> new RouterInput(offset, record.getAt(), event));
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
                .or(() -> record.getNodeTransferRejection()
                        .map(retained -> new CellReport.NodeRetained(retained.getNode(), retained.getTransfer())))
                .map(report ->
                        new RouterInput.RouterEvent.ReportInput(record.getCell(), report, record.getFreeDevices()));
    }

    private static Optional<CellReport> ofItem(CellReportRecord record, ItemId item) {
        return record.getAllocated()
                .<CellReport>map(allocated -> new CellReport.ItemAllocated(
                        item, record.getAttempt(), allocated.getNumber(), allocated.getClaims()))
                .or(() -> record.getReturned()
                        .map(returned -> new CellReport.ItemReturned(
                                item,
                                record.getAttempt(),
                                returned.getNumber(),
                                reason(returned.getExplanation()),
                                returned.getDeallocatable())))
                .or(() -> record.getDeallocation()
                        .map(proposal -> new CellReport.DeallocationProposed(
                                item,
                                record.getAttempt(),
                                proposal.getNumber(),
                                proposal.getDecisions().stream()
                                        .map(DecisionCodec::from)
                                        .toList())))
                .or(() -> record.getReasonChanged()
                        .map(explanation -> new CellReport.ReasonChanged(item, reason(explanation))))
                .or(() -> record.getDeleted()
                        ? Optional.of(new CellReport.ItemDeleted(item, record.getAttempt()))
                        : Optional.empty())
                .or(() -> record.getOffered()
                        ? Optional.of(new CellReport.OfferMade(item, record.getOfferDeallocates()))
                        : Optional.empty());
    }

    private static CellReport handover(NodeTransfer record) {
        List<Observation> content = record.getContent().stream()
                .flatMap(each -> CellInputReader.observation(each).stream())
                .toList();
        return new CellReport.NodeTransferred(record.getNode(), record.getTransfer(), content);
    }
}
