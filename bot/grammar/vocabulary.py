"""Words of English and Spanish that carry a meaning for sizing, and words that carry none."""

from __future__ import annotations

from typing import Final

from bot.names import word_set

STOP_WORDS: Final = word_set("""
    a about after aguanta aguantan al algo all alguien alguna alguno an and any aparte aqui are as
    ask at aun be been before best better between both busco but by caben cabe can cada como con
    could cual cuales cuando cuanta cuantas cuanto cuantos da dan das de debe debo del desde did do
    does donde doing e each el ella ellos en enough entre era es esa ese eso esta estan este esto
    estos every fit fits for from fuera get gets give given go got gpu gpus gracias grande grandes
    ha hace hacen hacer haces hacia hago has hasta have hay help hola how i if igual in into is it
    its ja just la las le les let like lo los mas max maximo maximum me mejor mi min minimo minimum
    mis modelo modelos model models more most much multiple my necesita necesitan necesito
    necesitamos need needed needs ni no nos o of on one only or os otra otro our out over para per
    pero please podria poder por porque puede puedo pueden que quiero recomienda recommend requiere
    run running runs say se sea ser server servidor servidores servers several should si sin sirve
    sobre solo son soporta su sus support supports take takes tal tamano tarjeta tarjetas tarda te
    tener tengo than that the their them then there these they this those tiene tienen to todo todos
    tu u un una uno unos us usa usan usar use used uses using va van varios very via vs versus want
    was we what when where which while who why will with without worth would x y ya yes yo you your
    card cards grafica graficas llm llms params parametros parameters parametro parametre size
    sizing dense denso densa vram memory memoria serve serving servir inference inferencia infer
    inferir deploy desplegar despliegue gib gb oom explain explica explicar show mostrar muestra
    dimensiona dimensione dimensionalo archivo archivos adjunto adjuntos adjunta fichero mira
    attached attachment file files config look here uploaded subido
    ajustar peft trl deepspeed scratch secuencia secuencias
    """)
"""Words that say nothing about sizing and are dropped without a word."""

FILLERS: Final = word_set("""
    a al at con de del el en es for hasta is la las los max maximo maxima maximum of on the to
    up with
    """)
"""Words that may stand between a key and its value: `contexto de 32k`."""

TECHNICAL: Final = word_set("""
    k8s p2p ddr3 ddr4 ddr5 x86 x64 h264 h265 ec2 s3 g5 cuda11 cuda12 cuda13 pcie3 pcie4 pcie5
    gen3 gen4 gen5 i5 i7 i9 ssd nvme nfs xeon epyc threadripper ryzen nvlink nvswitch infiniband
    ipv4 ipv6 ubuntu22 ubuntu24 win11 m2 sm80 sm86 sm89 sm90 rj45 c13 c19 1080p 720p 4k
    1024x1024 24x7 lenovo dell hp hpe asus supermicro gigabyte poweredge thinksystem proliant
    dgx hgx psu rack fuente
    """)
"""Names of hardware and software that are no models."""

OTHER_FAMILIES: Final = word_set("""
    bark bert bge bloom chatgpt clip claude cogvideox convnext cosyvoice deberta dinov2
    distilbert efficientnet e5 flux gemini glm gpt gte hifigan hunyuanvideo imagen jina kokoro
    llava ltx minilm mobilenet mochi nomic parakeet resnet roberta sam sd sdxl siglip
    stable-diffusion swin vit voxtral wan wav2vec2 whisper xtts yolo
    """)
"""Well-known models that are easily named by one plain word."""

NAME_TAILS: Final = word_set(
    "large medium small tiny base mini nano pro max plus ultra turbo lite dev xl flash next"
)
"""Words that go on with a model's name."""

USERS: Final = word_set("""
    camera cameras camara camaras stream streams
    user users usuario usuarios request requests peticion peticiones solicitud solicitudes
    session sessions sesion sesiones concurrent concurrente concurrentes concurrency
    concurrencia simultaneous simultaneo simultanea simultaneos simultaneas client clients
    cliente clientes personas persona people chats
    """)
"""Units of concurrent requests."""

DEVICES: Final = word_set("""
    gpu gpus card cards tarjeta tarjetas grafica graficas hpu hpus accelerator accelerators
    acelerador aceleradores aceleradora acelerador device devices tpu tpus npu npus
    """)
"""Units of accelerators without a name."""

NODES: Final = word_set("node nodes nodo nodos server servers servidor servidores host hosts")
"""Units of servers."""

TOKENS: Final = word_set("token tokens tok toks")
"""Units of length."""

CONTEXT: Final = word_set("ctx context contexto ventana window")
"""Words that make the number before them a context length."""

ADAPTERS: Final = word_set("lora loras adapter adapters adaptador adaptadores")
"""Units of LoRA adapters."""

FRAMES: Final = word_set("frames frame fotogramas fotograma cuadros cuadro")
"""Units of the pictures of a clip."""

STEPS: Final = word_set("steps step pasos paso")
"""Units of the steps of denoising."""

IMAGES: Final = word_set("""
    imagenes imagen image images img imgs fotos foto photo photos picture pictures
    """)
"""Units of the images of a request."""

SPANS: Final = word_set("""
    segundo second minuto minute hora hour dia day semana week mes month ano year sec seg min hr h
    s
    """)
"""Stretches of time: what is counted for each of them is a rate."""

RAM: Final = word_set("ram dram ddr4 ddr5")
"""Words that make the memory before them the host's."""

IRRELEVANT_UNITS: Final = word_set("""
    fps camaras camera cameras camara streams stream horas
    hora hours hour dias dia days day meses mes months month anos years year minutos minutes
    segundos seconds layers capas modelos models copias copies veces times replicas replica
    experts expertos cores nucleos cpus cpu racks rack
    """)
"""Units of numbers that sizing does not use."""

RATES: Final = ("t/s", "tok/s", "toks/s", "token/s", "tokens/s", "tps", "tokens/seg", "tok/seg")
"""Units of speed: a speed told in a sentence is a finding, not a wish."""

ARRIVALS: Final = word_set("""
    rps qps req/s reqs/s request/s requests/s requests/second queries/s queries/second peticiones/s
    peticiones/segundo solicitudes/s solicitudes/segundo consultas/s consultas/segundo
    """)
"""Units of arrival rates."""

ARRIVING: Final = word_set("""
    request requests query queries peticion peticiones solicitud solicitudes consulta consultas
    """)
"""What arrives, where a stretch of time follows: `3 requests per second`."""

SECONDS_OF: Final = {
    "s": 1, "sec": 1, "seg": 1, "second": 1, "segundo": 1, "min": 60, "minute": 60, "minuto": 60,
    "h": 3600, "hr": 3600, "hour": 3600, "hora": 3600, "day": 86_400, "dia": 86_400,
}  # fmt: skip
"""Stretches of time over which arrivals are told, in seconds."""

OWNERS: Final = word_set("su sus its their own propio each cada per por his her")
"""Words before `lora` that make it an adapter being served, not a training method."""

WEAK_MEMORY: Final = word_set("""
    de takes take taking usa uses use using ocupa ocupan needs need necesita requires requiere
    weights pesos modelo model models of son is are consume consumes
    """)
"""Words before a memory size that make it a need, not a card."""
