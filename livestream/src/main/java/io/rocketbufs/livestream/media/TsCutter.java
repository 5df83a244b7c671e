package io.rocketbufs.livestream.media;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A cutter that finds the chunk boundaries in an endless transport stream. A boundary is at the first key frame after a
 * chunk is long enough, before the tables that precede that frame. Without pictures it is at any packet of sound.
 *
 * <p><b>Thread-safety:</b> one thread at a time.
 */
public final class TsCutter {
    /** A chunk may be shorter than intended by this much, because the source determines where key frames are. */
    private static final long TOLERANCE_TICKS = 9000;

    private static final long TICKS_PER_MS = 90;
    /** Maximum number of packets with tables before a key frame. */
    private static final int MAX_TABLES = 15;
    /** Maximum number of bytes between a cut and the piece of the stream in which it was found. */
    public static final int MAX_BACKWARD = (MAX_TABLES + 1) * TsLayout.LENGTH;

    private final long chunkTicks;
    private final TsPackets packets = new TsPackets(this::packet);
    private final TsProgram program = new TsProgram();
    private final TsCodecs codecs = new TsCodecs();
    private final TablePackets tables = new TablePackets();
    private final List<Cut> cuts = new ArrayList<>();
    private Timeline timeline = new Timeline();
    private boolean started;
    private boolean keyFrame;
    private long startPts;
    private long position;

    /** Creates a cutter that makes chunks of about {@code chunkMs} milliseconds. */
    public TsCutter(long chunkMs) {
        this.chunkTicks = chunkMs * TICKS_PER_MS;
    }

    /**
     * The beginning of a chunk.
     *
     * @param position position of its first byte in the stream
     * @param ended properties of the chunk before it; null for the first
     * @param tables tables to insert at the beginning if the stream has none there; otherwise empty
     */
    public record Cut(long position, ChunkFacts ended, byte[] tables) {}

    /**
     * Scans the next bytes, from the buffer's position to its limit; does not change either.
     *
     * @return cuts in ascending order; data before the first cut cannot be played
     * @throws MediaException when this is not a transport stream
     */
    public List<Cut> scan(ByteBuffer bytes) {
        cuts.clear();
        packets.add(bytes);
        return List.copyOf(cuts);
    }

    private void packet(ByteBuffer buffer, int at) {
        int pid = TsLayout.pid(buffer, at);
        if (program.isTable(pid)) {
            program.read(buffer, at);
            tables.add(pid, buffer, at, position);
        } else {
            if ((pid == program.videoPid() || pid == program.audioPid()) && TsLayout.starts(buffer, at)) {
                begin(buffer, at, pid);
            }
            tables.endRun();
        }
        position += TsLayout.LENGTH;
    }

    private void begin(ByteBuffer buffer, int at, int pid) {
        boolean isVideo = pid == program.videoPid();
        int pes = TsLayout.payload(buffer, at);
        int end = at + TsLayout.LENGTH;
        long pts = TsLayout.pts(buffer, pes, end);
        if (pts < 0) {
            return;
        }
        boolean leads = isVideo || program.videoPid() < 0;
        boolean mayCut = leads && (!isVideo || TsLayout.isRandomAccess(buffer, at));
        if (mayCut && (!started || isLongEnough(pts))) {
            cut(pts);
        }
        codecs.look(program, isVideo, buffer, TsLayout.pesPayload(buffer, pes, end), end);
        if (leads && started) {
            timeline.add(pts, isVideo ? 0 : TsLayout.pesPayloadLength(buffer, pes));
        }
    }

    /** Returns true when the chunk is long enough; a time stamp that decreases comes from another source. */
    private boolean isLongEnough(long pts) {
        long length = Timeline.distance(startPts, pts);
        return length >= chunkTicks - TOLERANCE_TICKS || length < 0;
    }

    private void cut(long pts) {
        ChunkFacts ended = started ? facts(timeline.durationUntil(Timeline.distance(startPts, pts))) : null;
        cuts.add(new Cut(tables.cutAt(position), ended, tables.missing()));
        started = true;
        keyFrame = true;
        startPts = pts;
        timeline = new Timeline();
    }

    private ChunkFacts facts(long ticks) {
        return new ChunkFacts(
                Timeline.toMicros(startPts), Timeline.toMicros(ticks), keyFrame, codecs.describe(program));
    }

    /** Ends the stream and returns the properties of its last chunk; null when there is none. */
    public ChunkFacts finish() {
        return started ? facts(timeline.duration()) : null;
    }

    /** The positions of the latest tables, and a copy for chunks without tables. */
    private static final class TablePackets {
        /** Lower PIDs belong to tables of the standard. */
        private static final int FIRST_FREE_PID = 0x20;

        private byte[] programs = {};
        private byte[] streams = {};
        private long runStart = -1;
        private int runLength;
        private boolean runIsWhole;
        private boolean runHasPrograms;

        void add(int pid, ByteBuffer buffer, int at, long position) {
            if (runStart < 0 || runLength == MAX_TABLES) {
                runStart = position;
                runLength = 0;
                runHasPrograms = false;
                runIsWhole = false;
            }
            runLength++;
            if (pid == TsLayout.PAT_PID) {
                programs = copy(buffer, at);
                runHasPrograms = true;
            } else if (pid >= FIRST_FREE_PID) {
                streams = copy(buffer, at);
                runIsWhole = runHasPrograms;
            }
        }

        void endRun() {
            runStart = -1;
        }

        long cutAt(long position) {
            return runStart < 0 ? position : runStart;
        }

        byte[] missing() {
            if (runStart >= 0 && runIsWhole) {
                return new byte[0];
            }
            return ByteBuffer.allocate(programs.length + streams.length)
                    .put(programs)
                    .put(streams)
                    .array();
        }

        private static byte[] copy(ByteBuffer buffer, int at) {
            byte[] packet = new byte[TsLayout.LENGTH];
            buffer.get(at, packet);
            return packet;
        }
    }
}
