@org.jspecify.annotations.NullMarked
package dev.claimstream.history;
