package io.rocketbufs.livestream.media;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A cutter that determines the chunk boundaries in an endless transport stream. Once a chunk is long enough, the next
 * chunk starts with the next key frame or, more precisely, with the tables that precede it. In a stream without video,
 * the next chunk starts with the next audio packet.
 *
 * <p><b>Thread-safety:</b> one thread at a time.
 */
public final class TsCutter {
    /**
     * Number of ticks by which a chunk may be shorter than intended, because the source determines the positions of the
     * key frames.
     */
    private static final long TOLERANCE_TICKS = 9000;

    private static final long TICKS_PER_MS = 90;
    /** Maximum number of packets with tables before a key frame. */
    private static final int MAX_TABLES = 15;
    /** Maximum distance in bytes from a cut to the bytes that reveal it. */
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

    /** Creates a cutter for chunks of about {@code chunkMs} milliseconds. */
    public TsCutter(long chunkMs) {
        this.chunkTicks = chunkMs * TICKS_PER_MS;
    }

    /**
     * A chunk boundary, at which a new chunk starts.
     *
     * @param position position of the new chunk's first byte in the stream
     * @param ended properties of the previous chunk; null for the first chunk
     * @param tables tables to insert at the beginning of the new chunk; empty if the stream already contains them there
     */
    public record Cut(long position, ChunkFacts ended, byte[] tables) {}

    /**
     * Scans the next bytes, from the buffer's position to its limit, without changing either.
     *
     * @return cuts in ascending order; data before the first cut cannot be played
     * @throws MediaException if the bytes are not a transport stream
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

    /** Returns true if the chunk is long enough, or if the timestamp decreases because the source has changed. */
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

    /** Ends the stream and returns the properties of its last chunk, or null if there is none. */
    public ChunkFacts finish() {
        return started ? facts(timeline.duration()) : null;
    }

    /**
     * The position of the latest tables, and a copy of them that is inserted into chunks that do not start with tables.
     */
    private static final class TablePackets {
        /** The lowest PID that the standard does not reserve for its own tables. */
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
