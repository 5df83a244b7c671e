package io.rocketbufs.livestream.media;

import java.nio.ByteBuffer;

/**
 * A scanner of a chunk of an MPEG transport stream.
 *
 * <p><b>Thread-safety:</b> one thread at a time.
 */
public final class TsScanner implements MediaScanner {
    private final TsPackets packets = new TsPackets(this::packet);
    private final TsProgram program = new TsProgram();
    private final TsCodecs codecs = new TsCodecs();
    private final Timeline video = new Timeline();
    private final Timeline audio = new Timeline();
    private boolean keyFrame;

    @Override
    public void scan(ByteBuffer bytes) {
        packets.add(bytes);
    }

    private void packet(ByteBuffer buffer, int at) {
        int pid = TsLayout.pid(buffer, at);
        if (pid == program.videoPid() || pid == program.audioPid()) {
            if (TsLayout.starts(buffer, at)) {
                begin(buffer, at, pid);
            }
        } else if (program.isTable(pid)) {
            program.read(buffer, at);
        }
    }

    private void begin(ByteBuffer buffer, int at, int pid) {
        boolean isVideo = pid == program.videoPid();
        int pes = TsLayout.payload(buffer, at);
        int end = at + TsLayout.LENGTH;
        long pts = TsLayout.pts(buffer, pes, end);
        if (pts < 0) {
            return;
        }
        Timeline timeline = isVideo ? video : audio;
        if (isVideo && timeline.isEmpty()) {
            keyFrame = TsLayout.isRandomAccess(buffer, at);
        }
        timeline.add(pts, isVideo ? 0 : TsLayout.pesPayloadLength(buffer, pes));
        codecs.look(program, isVideo, buffer, TsLayout.pesPayload(buffer, pes, end), end);
    }

    @Override
    public ChunkFacts finish() {
        packets.finish();
        if (!program.isKnown()) {
            throw new MediaException("has no program tables (PAT and PMT)");
        }
        Timeline timeline = video.isEmpty() ? audio : video;
        if (timeline.isEmpty()) {
            throw new MediaException("has neither video nor audio with timestamps");
        }
        long duration = timeline.duration() > 0 ? timeline.duration() : audio.duration();
        return new ChunkFacts(
                Timeline.toMicros(timeline.start()),
                Timeline.toMicros(duration),
                keyFrame || program.videoPid() < 0,
                codecs.describe(program));
    }
}
