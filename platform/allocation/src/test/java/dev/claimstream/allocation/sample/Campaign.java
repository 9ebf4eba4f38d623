package dev.claimstream.allocation.sample;

import java.util.stream.LongStream;

/**
 * Selects the part of a campaign of random test cases that this run executes.
 *
 * <p>A run executes part {@code -Dcampaign.part} (from 0) of {@code -Dcampaign.parts}. One part is the whole campaign.
 */
public final class Campaign {
    /** The number of parts of a campaign. */
    public static final int PARTS = Integer.getInteger("campaign.parts", 5);

    private static final int PART = Integer.getInteger("campaign.part", 0);

    private Campaign() {}

    /**
     * The seeds of this run.
     *
     * @param first first seed of the campaign
     * @param count number of seeds of the campaign
     */
    public static LongStream seeds(long first, long count) {
        return LongStream.range(first + count * PART / PARTS, first + count * (PART + 1) / PARTS);
    }
}
