@org.jspecify.annotations.NullMarked
package dev.claimstream.load.streams;
