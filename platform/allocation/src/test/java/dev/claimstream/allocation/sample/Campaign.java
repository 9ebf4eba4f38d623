package dev.claimstream.allocation.sample;

import java.util.stream.LongStream;

/**
 * Which part of a campaign of random cases is run: part {@code -Dcampaign.part} (from 0) of {@code -Dcampaign.parts}. With one part the campaign
 * is whole.
 */
public final class Campaign {
    /** In how many parts a campaign is divided. */
    public static final int PARTS = Integer.getInteger("campaign.parts", 5);

    private static final int PART = Integer.getInteger("campaign.part", 0);

    private Campaign() {}

    /** The seeds of this run, of a campaign of so many from this one on. */
    public static LongStream seeds(long first, long count) {
        return LongStream.range(first + count * PART / PARTS, first + count * (PART + 1) / PARTS);
    }
}
